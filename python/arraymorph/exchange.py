"""To xarray: values with coordinates, attributes and encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arraymorph.errors import error

if TYPE_CHECKING:
    from arraymorph.array import Array
    from arraymorph.dataset import Dataset


def _xarray() -> Any:
    try:
        import xarray
    except ImportError:
        raise error(
            "PACKAGE_MISSING", "to_xarray() needs xarray. Install it, or use to_numpy()."
        ) from None
    return xarray


def _variable(array: Array) -> Any:
    variable = _xarray().Variable(array.dims, array.to_numpy(), array.attrs)
    variable.encoding = {"chunks": array.chunks, **array.encoding}
    return variable


def data_array(array: Array) -> Any:
    """One array with its coordinates."""
    coords = {n: _variable(a) for n, a in array.coords.items() if n != array.name}
    variable = _variable(array)
    made = _xarray().DataArray(variable, coords=coords, name=array.name)
    if array.name in array.dims:
        made = made.assign_coords({array.name: variable})
    made.encoding = variable.encoding
    return made


def data_set(dataset: Dataset, names: tuple[str, ...]) -> Any:
    """Arrays with the coordinates of their dimensions.

    Variables that an attribute ``coordinates`` names become coordinates, as xarray makes them.
    """
    arrays = {n: dataset[n] for n in names} if names else dict(dataset.variables)
    coords = {n: a for array in arrays.values() for n, a in array.coords.items()}
    made = _xarray().Dataset(
        {n: _variable(a) for n, a in arrays.items() if n not in coords},
        coords={n: _variable(a) for n, a in coords.items()},
        attrs={k: v for k, v in dataset.attrs.items() if k != "coordinates"},
    )
    named = {
        name
        for holder in (dataset, *arrays.values())
        for name in str(_raw(holder).get("coordinates", "")).split()
    }
    return made.set_coords(sorted(named & set(made.data_vars)))


def _raw(holder: Any) -> dict[str, Any]:
    member = getattr(holder, "_member", None)
    return holder.attrs if member is None else member.attrs
