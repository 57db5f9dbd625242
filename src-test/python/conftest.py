"""What the Python tests share: the jar as users get it, in a PySpark session on loopback."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def jar() -> Path:
    """The shaded jar: the one named by ARRAYMORPH_JAR, else the one of the last build."""
    named = os.environ.get("ARRAYMORPH_JAR")
    jars = [Path(named)] if named else sorted(ROOT.glob("connector/target/arraymorph-spark-*.jar"))
    assert len(jars) == 1 and jars[0].is_file(), f"no jar to test, build it first: {jars}"
    return jars[0]


@pytest.fixture(scope="session")
def spark(jar: Path, tmp_path_factory: pytest.TempPathFactory):
    """PySpark as it comes from PyPI plus ``spark.jars``: nothing else is configured for us."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("arraymorph tests")
        .config("spark.jars", str(jar))
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("WARN")
    yield session
    session.stop()


@dataclass(frozen=True)
class LocalS3:
    """A bucket of an S3 server on loopback; keys ``test`` / ``testsecret``.

    Objects are files below ``directory``; the access key is in ``settings`` for Hadoop.
    """

    endpoint: str
    bucket: str
    directory: Path

    @property
    def settings(self) -> dict[str, str]:
        return {
            "fs.s3a.endpoint": self.endpoint,
            "fs.s3a.endpoint.region": "us-east-1",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": "test",
            "fs.s3a.secret.key": "testsecret",
        }

    def uri(self, key: str) -> str:
        return f"s3a://{self.bucket}/{key}"


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory):
    """A running S3 server with an empty bucket, as a process of its own."""
    target = ROOT / "src-test" / "s3server" / "target"
    assert (target / "lib").is_dir(), "package src-test/s3server first"
    data = tmp_path_factory.mktemp("s3")
    command = ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", f"{target}/*:{target}/lib/*"]
    command += ["io.arraymorph.s3server.S3Server", "--data", str(data), "--bucket", "lab"]
    with (data / "server.log").open("w") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    endpoint = server.stdout.readline().strip()
    assert endpoint, (data / "server.log").read_text()
    yield LocalS3(endpoint, "lab", data / "lab")
    server.stdin.close()
    server.wait(timeout=10)
