package io.arraymorph.spark.delta;

import java.util.ArrayList;
import org.apache.spark.sql.connector.read.InputPartition;

/** What one task reads, in this order. */
record TensorPartition(ArrayList<TensorPart> parts) implements InputPartition {}
