package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FlatTablesTest {
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);

  private final ObjectStore store = new MemoryObjectStore("tables");
  private final StorePath path = new StorePath(store, "flat");

  private static SparseTensor tensor(int seed, int cells, long... shape) {
    Random random = new Random(seed);
    ArraySchema schema = RandomTensors.schema(DOUBLE, random, shape);
    return SparseTensor.of(
        schema, RandomTensors.cells(schema, cells, random), DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  @Test
  void a_flat_table_is_read_by_slices_and_changes_in_single_commits() {
    SparseTensor first = tensor(1, 3000, 40, 9, 31);
    TensorLayout layout = TensorLayout.unblocked(TensorEncoding.COO, 3, "test");
    DeltaTensors.at(path, TableForm.FLAT).write("t", first, layout, WriteMode.CREATE, Map.of());
    DeltaTensor written = DeltaTensors.open(path).tensor("t");
    assertThat(written.read()).isEqualTo(first);
    StorePath other = new StorePath(store, "compact");
    DeltaTensors.at(other).write("t", first, layout, WriteMode.CREATE, Map.of());
    DeltaTensors reference = DeltaTensors.open(other);
    Random random = new Random(5);
    for (int i = 0; i < 20; i++) {
      String text = RandomTensors.slice(first.schema().shape(), random);
      assertThat(written.slice(text)).as(text).isEqualTo(reference.tensor("t").slice(text));
    }
    SparseTensor second = tensor(2, 100, 12, 3, 4);
    long replaced = DeltaTensors.at(path).write("t", second, layout, WriteMode.REPLACE, Map.of());
    assertThat(DeltaTensors.open(path).tensor("t").read()).isEqualTo(second);
    assertThat(DeltaTensors.open(path).atVersion(replaced - 1).tensor("t").read()).isEqualTo(first);
    assertThatThrownBy(
            () -> DeltaTensors.at(path).write("t", second, layout, WriteMode.CREATE, Map.of()))
        .hasMessageContaining("[ARRAYMORPH_ARRAY_EXISTS]");
    assertThatThrownBy(
            () -> DeltaTensors.at(path).write("u", second, layout, WriteMode.CREATE, Map.of()))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    DeltaTensors.at(path).delete("t");
    assertThat(DeltaTensors.open(path).tensors()).isEmpty();
    DeltaTensors.at(path).write("u", second, layout, WriteMode.CREATE, Map.of());
    assertThat(DeltaTensors.open(path).tensor("u").read()).isEqualTo(second);
  }

  @Test
  void a_flat_table_grows_along_any_dimension() {
    SparseTensor first = tensor(1, 300, 12, 9, 7);
    SparseTensor more = tensor(2, 200, 12, 4, 7).withSchema(schemaLike(first, 12, 4, 7));
    TensorLayout layout = TensorLayout.unblocked(TensorEncoding.COO, 3, "test");
    DeltaTensors.at(path, TableForm.FLAT).write("t", first, layout, WriteMode.CREATE, Map.of());
    DeltaTensors.at(path).append("t", 1, more);
    DeltaTensor grown = DeltaTensors.open(path).tensor("t");
    assertThat(grown.schema().shape()).isEqualTo(Shape.of(12, 13, 7));
    assertThat(grown.slice(":, :9")).isEqualTo(first);
    assertThat(grown.slice(":, 9:")).isEqualTo(more);
  }

  private static ArraySchema schemaLike(SparseTensor tensor, long... shape) {
    ArraySchema schema = tensor.schema();
    return new ArraySchema(
        schema.dataType(), Shape.of(shape), schema.dimensionNames(), schema.fill());
  }
}
