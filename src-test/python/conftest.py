"""What the Python tests share: the jar as users get it, in a PySpark session on loopback."""

import os
import sys
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
