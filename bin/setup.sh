# shellcheck shell=bash
# What the commands of bin/ share: the tools they need, Python environments, builds, the local S3
# server. To be sourced:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
#
# Sets AM_ROOT (the checkout), AM_VERSION, AM_JAR (the jar users add) and AM_JAVA. Everything it
# makes is under target/ folders, .venv* of the checkout, and the caches of Maven and
# pip.

AM_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
AM_VERSION=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$AM_ROOT/pom.xml" | head -n 1)
AM_JAR=$AM_ROOT/connector/target/arraymorph-spark-$AM_VERSION.jar
AM_JAVA=${JAVA_HOME:+$JAVA_HOME/bin/}java
AM_S3_ENDPOINT=
AM_S3_PID=
AM_S3_FIFO=
# Spark must neither look for another host nor listen beyond this one.
export SPARK_LOCAL_IP=127.0.0.1

am_say() { printf '== %s\n' "$*" >&2; }
am_fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# am_need_java: JDK 17 or newer and Maven 3.8 or newer, or a message that says what to install.
am_need_java() {
  local version
  command -v "$AM_JAVA" >/dev/null || am_fail "no Java found: install JDK 17 or set JAVA_HOME"
  version=$("$AM_JAVA" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${version:-0}" -ge 17 ] || am_fail "Java ${version:-?} is too old: JDK 17 or newer is needed"
  command -v mvn >/dev/null || am_fail "no mvn found: install Maven 3.8 or newer"
}

# am_mvn ARGUMENTS: Maven in the checkout, without progress output. A download that fails is tried
# again, because registries do refuse now and then.
am_mvn() {
  (cd "$AM_ROOT" && mvn -B -ntp -Dstyle.color=never -Dmaven.wagon.http.retryHandler.count=3 \
    -Daether.connector.http.retryHandler.count=3 "$@")
}

# am_python3: prints a Python of 3.11 or newer that can make environments.
am_python3() {
  local candidate
  for candidate in "${PYTHON:-}" python3.11 python3.12 python3.13 python3; do
    if [ -n "$candidate" ] && "$candidate" -c \
      'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
      2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  am_fail "no Python 3.11 to 3.13 with venv found: install it, or set PYTHON"
}

# am_venv_of DIR REQUIREMENTS [PACKAGE]: makes or renews an environment, prints its python.
am_venv_of() {
  local dir=$AM_ROOT/$1 requirements=$AM_ROOT/$2 package=${3:-} stamp base
  base=$(am_python3) || exit 1
  stamp=$(cat "$requirements" ${package:+"$AM_ROOT/$package/pyproject.toml"} | cksum)
  if [ "$(cat "$dir/.requirements" 2>/dev/null)" != "$stamp" ]; then
    am_say "Python environment $1 (once)"
    rm -rf "$dir"
    "$base" -m venv "$dir" >&2 || am_fail "could not make $dir"
    "$dir/bin/python" -m pip install -q --disable-pip-version-check --retries 10 \
      -r "$requirements" >&2 || am_fail "could not install $2"
    [ -z "$package" ] ||
      "$dir/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
        --no-build-isolation -e "$AM_ROOT/$package" >&2 || am_fail "could not install $package/"
    printf '%s\n' "$stamp" >"$dir/.requirements"
  fi
  echo "$dir/bin/python"
}

# am_venv: prints the python that has Spark 4.2, zarr, xarray, matplotlib, the package of python/.
am_venv() { am_venv_of .venv src-test/python/requirements.txt python; }

# am_venv_spark_3_5: prints the python that has Spark 3.5.
am_venv_spark_3_5() { am_venv_of .venv-spark-3.5 src-test/python/requirements-spark-3.5.txt python; }

# am_venv_peers: prints the python that has other readers of Zarr: zarr-python, tensorstore, dask.
am_venv_peers() { am_venv_of .venv-peers src-test/differential/requirements.txt; }

# am_stale FILE MODULE..: true if FILE is missing or older than something the modules are made of.
am_stale() {
  local file=$1 module
  shift
  [ -f "$file" ] || return 0
  [ -z "$(find "$AM_ROOT/pom.xml" -newer "$file")" ] || return 0
  for module in "$@"; do
    [ -z "$(find "$AM_ROOT/$module/pom.xml" "$AM_ROOT/$module/src/main" -newer "$file" \
      -print -quit 2>/dev/null)" ] || return 0
  done
  return 1
}

# am_package MODULE: packages a module and those it is made of, without tests.
am_package() {
  am_need_java
  am_say "building $1"
  am_mvn -q -pl "$1" -am package -DskipTests -Dspotless.check.skip >&2 ||
    am_fail "the build of $1 failed"
}

# am_build_connector: makes AM_JAR if it is missing or older than its sources.
am_build_connector() {
  if am_stale "$AM_JAR" core cloud optimizer delta-tensor connector; then am_package connector; fi
}

# am_build_cli: makes cli/target/*.jar and cli/target/lib if they are missing or old.
am_build_cli() {
  if am_stale "$AM_ROOT/cli/target/arraymorph-cli-$AM_VERSION.jar" core cloud optimizer cli; then
    am_package cli
  fi
}

# am_build_s3server: makes the local S3 server if it is missing or old.
am_build_s3server() {
  if am_stale "$AM_ROOT/src-test/s3server/target/arraymorph-s3server-$AM_VERSION.jar" \
    src-test/s3server; then
    am_package src-test/s3server
  fi
}

# am_emulators: installs the cloud emulators that tests start, once, below target/tools: those that
# run on Node if npm is there, those written in Go if go is. Suites whose emulator is not there are
# skipped by name.
am_emulators() {
  local tools=$AM_ROOT/target/tools azurite=$AM_ROOT/src-test/azurite program
  mkdir -p "$tools/bin"
  if ! command -v npm >/dev/null; then
    am_say "no npm: tests on Azurite will be skipped"
  elif ! cmp -s "$azurite/package-lock.json" "$tools/package-lock.json" ||
    [ ! -x "$tools/node_modules/.bin/azurite-blob" ]; then
    am_say "installing Azurite (once)"
    cp "$azurite/package.json" "$tools/"
    (cd "$tools" && cp "$azurite/package-lock.json" . &&
      npm ci --no-audit --no-fund --ignore-scripts --loglevel=error) || return 1
  fi
  if ! command -v go >/dev/null; then
    am_say "no go: tests on fake-gcs-server and versitygw will be skipped"
    return 0
  fi
  for program in github.com/fsouza/fake-gcs-server@v1.56.1 \
    github.com/versity/versitygw/cmd/versitygw@v1.8.0; do
    if [ "$(cat "$tools/bin/.${program##*/}" 2>/dev/null)" != "$program" ]; then
      am_say "installing ${program##*/} (once)"
      (cd "$tools" && GOBIN=$tools/bin go install "$program") || return 1
      echo "$program" >"$tools/bin/.${program##*/}"
    fi
  done
}

# am_s3_start DIR BUCKET [ARGUMENTS]: starts the S3 server on a free port of the loopback interface
# and sets AM_S3_ENDPOINT. Access key test, secret testsecret. It ends with am_s3_stop, and also
# when this shell ends, however that happens. Its messages are in DIR.log.
am_s3_start() {
  local dir=$1 bucket=$2 server=$AM_ROOT/src-test/s3server/target out
  shift 2
  am_build_s3server
  mkdir -p "$dir"
  AM_S3_FIFO=$(mktemp -d)
  mkfifo "$AM_S3_FIFO/in"
  out=$AM_S3_FIFO/out
  "$AM_JAVA" -Xmx512m -XX:TieredStopAtLevel=1 -cp "$server/*:$server/lib/*" \
    io.arraymorph.s3server.S3Server --data "$dir" --bucket "$bucket" "$@" \
    <"$AM_S3_FIFO/in" >"$out" 2>"$dir.log" &
  AM_S3_PID=$!
  exec 9>"$AM_S3_FIFO/in"
  for _ in $(seq 300); do
    AM_S3_ENDPOINT=$(cat "$out")
    [ -z "$AM_S3_ENDPOINT" ] || return 0
    kill -0 "$AM_S3_PID" 2>/dev/null || break
    sleep 0.1
  done
  am_s3_stop
  am_fail "the S3 server did not start: see $dir.log"
}

# am_s3_stop: stops the server that am_s3_start started.
am_s3_stop() {
  if [ -n "$AM_S3_PID" ]; then
    exec 9>&-
    kill "$AM_S3_PID" 2>/dev/null || true
    wait "$AM_S3_PID" 2>/dev/null || true
    rm -rf "$AM_S3_FIFO"
    AM_S3_PID=
    AM_S3_ENDPOINT=
  fi
}

# am_slice_function_start ALLOWED ENDPOINT: starts bin/slice-function with a token of its own, which
# it leaves in ARRAYMORPH_SLICE_TOKEN, and sets AM_SLICE_URL. It reads ALLOWED from the S3 server at
# ENDPOINT, and ends with am_slice_function_stop.
am_slice_function_start() {
  local out
  out=$(mktemp)
  ARRAYMORPH_SLICE_TOKEN=$(od -An -N18 -tx1 /dev/urandom | tr -d ' \n')
  export ARRAYMORPH_SLICE_TOKEN
  AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=testsecret \
    "$AM_ROOT/bin/slice-function" --allow "$1" --set "fs.s3a.endpoint=$2" \
    --set fs.s3a.endpoint.region=us-east-1 --set fs.s3a.path.style.access=true >"$out" &
  AM_SLICE_PID=$!
  # The first time it is built, which takes its time.
  for _ in $(seq 6000); do
    AM_SLICE_URL=$(sed -n 's/^slice function answers at //p' "$out")
    if [ -n "$AM_SLICE_URL" ]; then
      rm -f "$out"
      return 0
    fi
    kill -0 "$AM_SLICE_PID" 2>/dev/null || break
    sleep 0.1
  done
  am_slice_function_stop
  am_fail "the slice function did not start"
}

# am_slice_function_stop: stops the function that am_slice_function_start started.
am_slice_function_stop() {
  if [ -n "${AM_SLICE_PID:-}" ]; then
    kill "$AM_SLICE_PID" 2>/dev/null || true
    wait "$AM_SLICE_PID" 2>/dev/null || true
    AM_SLICE_PID=
  fi
}
