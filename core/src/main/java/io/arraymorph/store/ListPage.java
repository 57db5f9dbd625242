package io.arraymorph.store;

import java.util.List;

/**
 * One page of a listing.
 *
 * @param objects the objects, ascending by key
 * @param prefixes the rolled-up prefixes, ending in the delimiter, ascending
 * @param continuation what to pass for the next page; empty on the last
 */
public record ListPage(List<ObjectStat> objects, List<String> prefixes, String continuation) {}
