package io.arraymorph.spark.delta;

import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * What one task reads.
 *
 * @param files the files that may hold cells of it
 * @param region which cells
 * @param share which part of the pieces, from 0
 * @param shares how many parts there are
 */
record TensorPartition(ArrayList<DataFile> files, IndexRegion region, int share, int shares)
    implements InputPartition {}
