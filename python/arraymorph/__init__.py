"""arraymorph: n-d arrays in object stores as Spark tables, the Python side.

The reader and writer live in the JVM: ``spark.read.format("arraymorph")``. This package turns the
tensor columns they return into numpy arrays.
"""

from arraymorph.tensors import to_numpy

__all__ = ["to_numpy"]
__version__ = "0.1.0"
