"""arraymorph: n-d arrays in object stores as Spark tables, the Python side.

The reader and writer live in the JVM: ``spark.read.format("arraymorph")``. This package turns the
tensor columns they return into numpy arrays, and slices tensors of Delta tables without a job.
"""

from arraymorph.delta import open_tensors
from arraymorph.tensors import to_numpy

__all__ = ["open_tensors", "to_numpy"]
__version__ = "0.1.0"
