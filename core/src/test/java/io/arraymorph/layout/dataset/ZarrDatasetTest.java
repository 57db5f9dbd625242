package io.arraymorph.layout.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tables of the conformance fixtures and of real data sets. */
class ZarrDatasetTest {
  private final RecordingObjectStore store =
      new RecordingObjectStore(
          new LocalObjectStore(Path.of("../src-test").toAbsolutePath().normalize()));
  private final PlainArrayReader reader = new PlainArrayReader();

  private Dataset open(String path, DatasetOptions options) {
    return ZarrDataset.open(ZarrNodes.open(new StorePath(store, path)), options, reader);
  }

  private Dataset open(String path) {
    return open(path, DatasetOptions.DEFAULT);
  }

  private Dataset open(String path, String array) {
    return open(path, DatasetOptions.DEFAULT.withArray(array));
  }

  private static List<String> variables(Dataset dataset) {
    return dataset.variables().stream().map(Variable::name).toList();
  }

  private static List<String> dimensions(Dataset dataset) {
    return dataset.dimensions().stream().map(d -> d.name() + ":" + d.type()).toList();
  }

  private static List<String> auxiliary(Dataset dataset) {
    return dataset.auxiliary().stream()
        .map(a -> a.name() + "(" + dataset.dimensions().get(a.dimension()).name() + ")")
        .toList();
  }

  @Test
  void showsTheClimateOfCoads() {
    Dataset coads = open("data/coads.zarr");
    assertThat(variables(coads))
        .containsExactly("AIRT", "SLP", "SPEH", "SST", "UWND", "VWND", "WSPD");
    // Year 0 is in no standard calendar: the times stay raw, with a warning.
    assertThat(dimensions(coads)).containsExactly("TIME:DOUBLE", "COADSY:DOUBLE", "COADSX:DOUBLE");
    assertThat(coads.warnings()).singleElement().asString().contains("hour since 0000-01-01");
    assertThat(auxiliary(coads)).containsExactly("MONTH(TIME)");
    assertThat(coads.auxiliary().get(0).coordinate().type()).isEqualTo(Scalar.BYTE);
    assertThat(coads.variables().get(3).type()).isEqualTo(Scalar.FLOAT);
    assertThat(coads.variables().get(3).decoding().isNullable()).isTrue();
    assertThat(coads.auxiliary().get(0).coordinate().values().valueAt(11)).isEqualTo((byte) 12);
    assertThat(coads.dimensions().get(2).coordinate().get().values().valueAt(0)).isEqualTo(21.0);
  }

  @Test
  void groupsVariablesByTheirDimensions() {
    Dataset climate = open("fixtures/groups/climate_v3.zarr");
    assertThat(variables(climate)).containsExactly("cloud", "count", "precip", "t2m");
    assertThat(dimensions(climate)).containsExactly("time:TIMESTAMP", "lat:DOUBLE", "lon:DOUBLE");
    assertThat(auxiliary(climate)).isEmpty();
    assertThat(climate.tables())
        .hasToString("[(time 9, lat 6, lon 8): cloud, count, precip, t2m, (lat 6, lon 8): mask]");
    Dataset mask = open("fixtures/groups/climate_v3.zarr", "mask");
    assertThat(dimensions(mask)).containsExactly("lat:DOUBLE", "lon:DOUBLE");
    assertThat(variables(mask)).containsExactly("mask");
    assertThat(climate.warnings()).isEmpty();
  }

  @Test
  void readsTheSameTablesFromVersion2() {
    Dataset climate = open("fixtures/groups/climate_v2.zarr");
    assertThat(climate.tables()).isEqualTo(open("fixtures/groups/climate_v3.zarr").tables());
    assertThat(dimensions(climate)).containsExactly("time:TIMESTAMP", "lat:DOUBLE", "lon:DOUBLE");
  }

  @Test
  void boundsHaveTheUnitsOfTheirVariable() {
    Dataset bounds = open("fixtures/groups/climate_v3.zarr", "time_bnds");
    assertThat(bounds.variables().get(0).type()).isEqualTo(Scalar.TIMESTAMP);
    assertThat(dimensions(bounds)).containsExactly("time:TIMESTAMP", "nv:LONG");
  }

  @Test
  void readsScalarsAsATableOfOneRow() {
    Dataset height = open("fixtures/groups/climate_v3.zarr", "height");
    assertThat(height.shape().rank()).isZero();
    assertThat(height.dimensions()).isEmpty();
  }

  @Test
  void findsTheCoordinatesOfAnArrayOpenedByItsOwnPath() {
    Dataset t2m = open("fixtures/groups/climate_v3.zarr/t2m");
    assertThat(variables(t2m)).containsExactly("t2m");
    assertThat(dimensions(t2m)).containsExactly("time:TIMESTAMP", "lat:DOUBLE", "lon:DOUBLE");
    // The array and the consolidated group above it.
    assertThat(store.requests()).hasSize(2);
    store.clear();
    Dataset radiance = open("fixtures/groups/swath.zarr/radiance");
    assertThat(dimensions(radiance)).containsExactly("y:LONG", "x:LONG", "band:SHORT");
    // The array, the group, which is not consolidated, and at once what dimensions may be named as.
    assertThat(store.requests().stream().map(RecordingObjectStore.Request::key))
        .startsWith("fixtures/groups/swath.zarr/radiance/zarr.json")
        .containsExactlyInAnyOrder(
            "fixtures/groups/swath.zarr/radiance/zarr.json",
            "fixtures/groups/swath.zarr/zarr.json",
            "fixtures/groups/swath.zarr/y/zarr.json",
            "fixtures/groups/swath.zarr/x/zarr.json",
            "fixtures/groups/swath.zarr/band/zarr.json");
    store.clear();
    assertThat(dimensions(open("fixtures/groups/nested_v3_plain.zarr/top")))
        .containsExactly("y:LONG", "x:LONG");
    assertThat(store.requests()).hasSize(4);
    store.clear();
    assertThat(dimensions(open("fixtures/groups/nested_v3_plain.zarr/a/mid")))
        .containsExactly("x:LONG");
    assertThat(store.requests()).hasSize(3);
    assertThat(reader.arraysRead()).isZero();
  }

  @Test
  void anArrayAloneTakesOneRequest() {
    Dataset plain = open("fixtures/v3/shape/chunk_larger.zarr");
    assertThat(dimensions(plain)).allMatch(d -> d.startsWith("dim_"));
    assertThat(store.requests()).hasSize(1);
  }

  @Test
  void anArrayOfVersion2TakesThreeRequestsAndTwoForItsGroup() {
    open("fixtures/groups/climate_v2.zarr/t2m");
    assertThat(store.requests()).hasSize(5);
  }

  @Test
  void groupsAreOpenedFromConsolidatedMetadataAlone() {
    open("fixtures/groups/climate_v3.zarr");
    assertThat(store.requests()).hasSize(1);
  }

  @Test
  void coordinatesAreReadOnceAndOnlyWhenAskedFor() {
    Dataset climate = open("fixtures/groups/climate_v3.zarr");
    assertThat(reader.arraysRead()).isZero();
    Coordinate.loadAll(climate.coordinates());
    assertThat(reader.arraysRead()).isEqualTo(3);
    Coordinate.loadAll(climate.coordinates());
    climate.dimensions().get(0).index();
    assertThat(reader.arraysRead()).isEqualTo(3);
  }

  @Test
  void anArrayIsReadWithoutCoordinatesWhereItsGroupMayNotBeRead() {
    FaultyObjectStore faulty = new FaultyObjectStore(store);
    StorePath t2m = new StorePath(faulty, "fixtures/groups/climate_v3.zarr/t2m");
    faulty.inject(
        StoreOperation.GET,
        "climate_v3.zarr/zarr.json",
        new FaultyObjectStore.Effect.Fail(StoreException.Kind.DENIED),
        1);
    Dataset dataset = ZarrDataset.open(ZarrNodes.open(t2m), DatasetOptions.DEFAULT, reader);
    assertThat(dimensions(dataset)).containsExactly("time:LONG", "lat:LONG", "lon:LONG");
    // A store in trouble is no missing right.
    faulty.inject(
        StoreOperation.GET,
        "climate_v3.zarr/zarr.json",
        new FaultyObjectStore.Effect.Fail(StoreException.Kind.UNAVAILABLE),
        1);
    assertThatThrownBy(() -> ZarrDataset.open(ZarrNodes.open(t2m), DatasetOptions.DEFAULT, reader))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_STORE_UNAVAILABLE");
  }

  @Test
  void namedArraysOfAGroupOfVersion2TakeTwoRequestsEach() {
    ZarrGroup group =
        ZarrNodes.openGroup(new StorePath(store, "fixtures/groups/nested_v2_plain.zarr"));
    store.clear();
    assertThat(group.arrays(List.of("top", "a", "nothing")).stream().map(ZarrArray::name))
        .containsExactly("top");
    assertThat(store.requests()).hasSize(6).allMatch(r -> r.operation() == StoreOperation.GET);
  }

  @Test
  void aCoordinateArrayOpenedAloneKeepsItsName() {
    for (Dataset lat :
        List.of(
            open("fixtures/groups/climate_v3.zarr/lat"),
            open("fixtures/groups/climate_v3.zarr", "lat"))) {
      assertThat(variables(lat)).containsExactly("lat");
      assertThat(dimensions(lat)).containsExactly("dim_0:LONG");
      assertThat(lat.dimensions().get(0).storedName()).isEqualTo("lat");
      assertThat(lat.dimension("lat")).isZero();
    }
  }

  @Test
  void readsCoordinatesOfEveryKind() {
    String group = "fixtures/groups/coordinates.zarr";
    assertThat(dimensions(open(group, "v_when"))).containsExactly("when:TIMESTAMP_NTZ");
    assertThat(dimensions(open(group, "v_flag"))).containsExactly("flag:BOOLEAN");
    assertThat(dimensions(open(group, "v_unsigned_big"))).containsExactly("unsigned_big:DECIMAL20");
    assertThat(dimensions(open(group, "v_no_coordinate"))).containsExactly("station:LONG");
    assertThat(dimensions(open(group, "v_place"))).containsExactly("place:STRING");
    Coordinate place = open(group, "v_place").dimensions().get(0).coordinate().get();
    assertThat(place.values().valueAt(3)).isEqualTo("東京");
    Coordinate when = open(group, "v_when").dimensions().get(0).coordinate().get();
    assertThat(when.values().valueAt(6)).isNull();
    assertThat(when.isNullable()).isTrue();
  }

  @Test
  void anArrayOfAnotherLengthIsNoCoordinate() {
    Dataset mismatch = open("fixtures/groups/coordinates.zarr", "v_mismatch");
    assertThat(dimensions(mismatch)).containsExactly("v_dim:LONG");
    assertThat(mismatch.warnings()).singleElement().asString().contains("length 5");
  }

  @Test
  void opensArraysInGroupsBelow() {
    for (String version : List.of("nested_v3", "nested_v3_plain", "nested_v2", "nested_v2_plain")) {
      String group = "fixtures/groups/" + version + ".zarr";
      assertThat(variables(open(group, "a/b/deep"))).containsExactly("deep");
      assertThat(variables(open(group, "a"))).containsExactly("mid");
      assertThat(variables(open(group))).containsExactly("top");
      assertThatThrownBy(() -> open(group, "a/nothing"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_UNKNOWN_ARRAY");
      assertThatThrownBy(() -> open(group, "empty"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_NOT_AN_ARRAY");
      assertThatThrownBy(() -> open(group, "top,a/mid"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_INVALID_OPTION")
          .hasMessageContaining("(y 3, x 4): top");
    }
  }

  @Test
  void choosesTheFullResolutionOfAnImage() {
    Dataset image = open("fixtures/groups/image_v3.zarr");
    assertThat(variables(image)).containsExactly("0");
    assertThat(image.tables()).hasSize(3);
  }

  @Test
  void scansVariablesOfDifferentChunksTogether() {
    assertThat(variables(open("fixtures/groups/mixed_chunks.zarr")))
        .containsExactly("blocks", "cells", "columns", "holes", "rows", "sharded", "whole");
  }

  @Test
  void showsWhatXarrayWrote() {
    for (String version : List.of("v2", "v3")) {
      Dataset data = open("fixtures/groups/xarray_" + version + ".zarr");
      assertThat(variables(data)).containsExactly("packed", "temp");
      assertThat(auxiliary(data)).containsExactly("ok(time)", "station(lat)");
      assertThat(dimensions(data)).containsExactly("time:TIMESTAMP", "lat:DOUBLE", "lon:DOUBLE");
    }
  }

  @Test
  void takesTheFillOfVersion2ForMissingOnlyIfAsked() {
    DatasetOptions options = DatasetOptions.DEFAULT.withArray("packed");
    Dataset values = open("fixtures/groups/xarray_v2.zarr", options);
    assertThat(values.variables().get(0).decoding().isNullable()).isFalse();
    Dataset missing =
        open("fixtures/groups/xarray_v2.zarr", options.withV2Fill(DatasetOptions.V2Fill.MISSING));
    assertThat(missing.variables().get(0).decoding().isNullable()).isTrue();
    // A null fill value stays no value at all.
    Dataset climate =
        open(
            "fixtures/groups/climate_v2.zarr",
            DatasetOptions.DEFAULT.withArray("mask").withV2Fill(DatasetOptions.V2Fill.MISSING));
    assertThat(climate.variables().get(0).decoding().isNullable()).isFalse();
  }

  @Test
  void rawValuesHaveTheStoredType() {
    Dataset raw = open("fixtures/groups/climate_v3.zarr", DatasetOptions.DEFAULT.withDecode(false));
    assertThat(dimensions(raw)).containsExactly("time:INT", "lat:DOUBLE", "lon:DOUBLE");
    assertThat(raw.variables().get(3).type()).isEqualTo(Scalar.SHORT);
  }

  @Test
  void listsTheTablesOfAGroup() {
    ZarrGroup group = ZarrNodes.openGroup(new StorePath(store, "fixtures/groups/swath.zarr"));
    assertThat(ZarrDataset.tables(group)).hasToString("[(y 6, x 5, band 2): radiance]");
  }

  @Test
  void namesTheDimensionsWhenOneIsUnknown() {
    assertThatThrownBy(() -> open("data/coads.zarr").dimension("time_of_day"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_UNKNOWN_DIMENSION")
        .hasMessageContaining("TIME, COADSY, COADSX");
    assertThat(open("data/coads.zarr").dimension("coadsy")).isEqualTo(1);
  }

  @Test
  void coordinatesOnTheDimensionsOfATableAreItsLastColumns() {
    MemoryTables tables = new MemoryTables();
    Shape plane = Shape.of(2, 3);
    List<String> yx = List.of("y", "x");
    ObjectNode names = MemoryTables.attributes().put("coordinates", "lat lon time");
    List<NamedArray> arrays =
        List.of(
            tables.array("lat", MemoryTables.float64(), plane, yx, MemoryTables.attributes()),
            tables.array("lon", MemoryTables.float64(), plane, yx, MemoryTables.attributes()),
            tables.array("sst", MemoryTables.float64(), plane, yx, names),
            tables.array(
                "time", MemoryTables.float64(), Shape.of(), List.of(), MemoryTables.attributes()));
    assertThat(GroupTables.of(arrays)).hasToString("[(y 2, x 3): sst, lat, lon]");
  }

  @Test
  void columnNamesDifferWithoutRegardToCase() {
    MemoryTables tables = new MemoryTables().doubles("t", 1, 2).doubles("x", 1, 2, 3);
    Shape shape = tables.shape();
    List<String> names = List.of("t", "x");
    NamedArray upper =
        tables.array("T", MemoryTables.float64(), shape, names, MemoryTables.attributes());
    NamedArray x =
        tables.array("x_1", MemoryTables.float64(), shape, names, MemoryTables.attributes());
    NamedArray month =
        tables.array(
            "X_1", MemoryTables.float64(), Shape.of(2), List.of("t"), MemoryTables.attributes());
    Dataset dataset = tables.dataset(List.of(upper, x), List.of(month));
    assertThat(variables(dataset)).containsExactly("T", "x_1");
    // The dimension gives way, and keeps its coordinate.
    assertThat(dimensions(dataset)).containsExactly("dim_0:DOUBLE", "x:DOUBLE");
    assertThat(dataset.auxiliary()).isEmpty();
    assertThat(dataset.warnings()).hasSize(2);
    assertThat(dataset.dimension("dim_0")).isZero();
  }

  @Test
  void arraysOfATransposedOrderMakeAnotherTable() {
    MemoryTables tables = new MemoryTables();
    NamedArray yx =
        tables.array(
            "a",
            MemoryTables.float64(),
            Shape.of(2, 2),
            List.of("y", "x"),
            MemoryTables.attributes());
    NamedArray xy =
        tables.array(
            "b",
            MemoryTables.float64(),
            Shape.of(2, 2),
            List.of("x", "y"),
            MemoryTables.attributes());
    assertThat(GroupTables.of(List.of(yx, xy))).hasSize(2);
    assertThatThrownBy(() -> tables.dataset(List.of(yx, xy), List.of()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_INVALID_OPTION");
  }

  @Test
  void aFailingCoordinateFailsWithItsOwnError() {
    ArrayMorphException gone =
        new ArrayMorphException(ErrorCode.STORE_UNAVAILABLE, "gone", "Try again");
    NamedArray t =
        new MemoryTables()
            .array(
                "t", MemoryTables.float64(), Shape.of(2), List.of("t"), MemoryTables.attributes());
    List<Coordinate> failing = new ArrayList<>();
    for (int n = 0; n < 5; n++) {
      failing.add(
          new Coordinate(
              t.array(),
              CfDecoding.raw(MemoryTables.float64()),
              (array, all) -> {
                throw gone;
              }));
    }
    assertThatThrownBy(() -> Coordinate.loadAll(failing)).isSameAs(gone);
  }
}
