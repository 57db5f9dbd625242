"""Plans, plots and zero-copy columns of the package, in PySpark."""

import re
from functools import partial
from pathlib import Path

import arraymorph
import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pytest
from arraymorph import to_numpy

mpl.use("Agg")
DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture(scope="module")
def relief(spark):
    return arraymorph.open(spark, DATA / "etopo.zarr", profile="s3.in-region")["ROSE"]


def test_a_plan_has_the_sums_of_explain(relief) -> None:
    alps = relief.sel(ETOPO05_Y=slice(43, 48.5), ETOPO05_X=slice(5, 17))
    text = alps.to_spark()._jdf.queryExecution().toString()
    plan = alps.plan()
    assert f"chunks {plan.chunks} of {plan.total_chunks}" in text
    assert f"bytes to move at most {plan.bytes} for {plan.bytes_needed} needed" in text
    seconds, dollars = re.search(r"estimated (\S+) s, \$(\S+) by 1 task,", text).groups()
    assert float(seconds) == pytest.approx(plan.seconds, rel=1e-3)
    assert float(dollars) == pytest.approx(plan.dollars, rel=1e-3)
    assert sum(one.requests for one in plan.accesses) == plan.requests
    assert sum(one.bytes for one in plan.accesses) == plan.bytes
    assert [one.method for one in alps.plan("range").accesses] == ["index", "ranges"]
    assert alps.plan("range").bytes < plan.bytes
    table = plan.to_pandas()
    assert table.loc["total", "requests"] == plan.requests
    assert "dollars" in repr(plan) and "<table>" in plan._repr_html_()


def test_cost_follows_profile_and_phi(relief) -> None:
    band = relief.isel(ETOPO05_Y=slice(0, 10))
    far = band.plan("get", profile="s3.wan")
    assert far.profile == "s3.wan" and far.dollars > band.plan("get").dollars
    assert band.plan(phi=1e9).dollars <= band.plan(phi=0).dollars


def test_the_plot_shows_each_touched_chunk(relief) -> None:
    band = relief.isel(ETOPO05_Y=slice(1000, 1100), ETOPO05_X=slice(700, 1500))
    axes = band.plan("get").plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [f"whole ({band.plan('get').chunks})", "selected"]
    outline = axes.patches[-1]
    assert (outline.get_xy(), outline.get_width()) == ((700, 1000), 800)
    with pytest.raises(arraymorph.ArrayMorphError, match="UNKNOWN_DIMENSION"):
        band.plan().plot(x="depth")


def test_slices_are_drawn_with_their_labels(spark) -> None:
    sst = arraymorph.open(spark, DATA / "coads.zarr")["SST"]
    sea = sst.isel(TIME=6).plot(cmap="turbo")
    assert "SEA SURFACE TEMPERATURE [Deg C]" in [a.get_ylabel() for a in sea.figure.axes]
    line = sst.isel(COADSX=30, COADSY=45).plot().lines[0]
    np.testing.assert_array_equal(line.get_ydata(), sst[:, 45, 30].to_numpy())


def test_the_text_of_a_dataset_shows_shapes_and_chunks(spark) -> None:
    text = repr(arraymorph.open(spark, DATA / "coads.zarr").isel(TIME=0))
    assert "Dimensions: COADSY: 90, COADSX: 180" in text
    assert "chunks (3, 45, 60), zstd:9" in text
    assert "SST              (COADSY, COADSX) float32 (90, 180)" in text


def _allocated(work) -> int:
    """The most bytes that numpy and Python had allocated while something ran, and Arrow after."""
    import tracemalloc

    arrow = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - arrow
    finally:
        tracemalloc.stop()


def test_map_in_arrow_sees_the_memory_of_arrow(relief) -> None:
    """The address of the numpy array is that of Arrow's buffer, in the Python worker itself."""
    frame = relief.isel(ETOPO05_Y=slice(0, 720), ETOPO05_X=slice(0, 720)).to_spark()

    def addresses(batches):
        for batch in batches:
            tensors = batch.column("ROSE")
            values = to_numpy(tensors)
            buffer = tensors.field("data").values.buffers()[1]
            start = values.__array_interface__["data"][0]
            inside = buffer.address <= start
            inside &= start + values.nbytes <= buffer.address + buffer.size
            new = _allocated(partial(to_numpy, tensors))
            rows = [len(tensors)], [inside], [int(values.sum())], [values.nbytes], [new]
            names = ["n", "same", "sum", "bytes", "new"]
            yield pa.RecordBatch.from_arrays([pa.array(r) for r in rows], names)

    schema = "n long, same boolean, sum long, bytes long, new long"
    seen = frame.select("ROSE").mapInArrow(addresses, schema).collect()
    assert sum(row.n for row in seen) == 16
    assert all(row.same for row in seen)
    assert sum(row.bytes for row in seen) == 720 * 720 * 2
    assert all(row.new < row.bytes / 20 for row in seen)
    assert sum(row.sum for row in seen) == relief[:720, :720].to_numpy().astype(int).sum()


def test_arrow_on_the_driver_is_shared(relief) -> None:
    column = relief[:360, :360].to_spark().select("ROSE").toArrow().column("ROSE").chunk(0)
    values = to_numpy(column)
    buffer = column.field("data").values.buffers()[1]
    assert buffer.address <= values.__array_interface__["data"][0] < buffer.address + buffer.size
    assert values.shape == (4, 180, 180) and not values.flags.writeable
    assert _allocated(lambda: to_numpy(column)) < values.nbytes / 10


def test_pandas_shares_the_memory_of_its_cells(spark, relief) -> None:
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    try:
        column = relief[:360, :360].to_spark().select("ROSE").toPandas()["ROSE"]
    finally:
        spark.conf.unset("spark.sql.execution.arrow.pyspark.enabled")
    cells = [to_numpy(cell) for cell in column]
    values = to_numpy(column)
    assert values.shape == (4, 180, 180)
    for row, cell in enumerate(cells):
        assert np.shares_memory(values[row], cell)
        np.testing.assert_array_equal(values[row], cell)
        assert np.shares_memory(cell, column.iloc[row]["data"])
    assert _allocated(lambda: to_numpy(column)) < values.nbytes / 10
    # What does not lie together is copied, in the order of the column.
    np.testing.assert_array_equal(to_numpy(column[::-1]), values[::-1])
    np.testing.assert_array_equal(to_numpy(column[1:3]), values[1:3])


def test_a_session_without_the_jar_is_told_so() -> None:
    class Session:
        class _jvm:
            class io:
                class arraymorph:
                    class spark:
                        class python:
                            PythonDataset = None

    with pytest.raises(arraymorph.ArrayMorphError) as refused:
        arraymorph.open(Session(), "x")
    assert refused.value.code == "JAR_MISSING"
