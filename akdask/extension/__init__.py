"""Lazy arrays in pandas' Series, Index and DataFrame: extension types, and the accessor ``.ak``.

``pd.Series([1, 2], dtype="ak_int64")`` holds a `pdarray`, and stays lazy as long as pandas lets it. Arithmetic,
comparison, selection by lazy masks, assignment and conversion build plans. Reductions, orders, groups, display, labels
and pandas' element-wise functions compute.
"""

from akdask.extension.accessors import ArkoudaDataFrameAccessor, ArkoudaIndexAccessor, ArkoudaSeriesAccessor
from akdask.extension.arrays import (
    ArkoudaArray,
    ArkoudaBaseDtype,
    ArkoudaBigintDtype,
    ArkoudaBoolDtype,
    ArkoudaCategorical,
    ArkoudaCategoricalDtype,
    ArkoudaDtype,
    ArkoudaFloat64Dtype,
    ArkoudaInt64Dtype,
    ArkoudaStringArray,
    ArkoudaStringDtype,
    ArkoudaUint8Dtype,
    ArkoudaUint64Dtype,
)
from akdask.extension.base import ArkoudaArrayLike, ArkoudaExtensionArray

_ArkoudaBaseDtype = ArkoudaBaseDtype

__all__ = [
    "ArkoudaArray",
    "ArkoudaArrayLike",
    "ArkoudaBaseDtype",
    "ArkoudaBigintDtype",
    "ArkoudaBoolDtype",
    "ArkoudaCategorical",
    "ArkoudaCategoricalDtype",
    "ArkoudaDataFrameAccessor",
    "ArkoudaDtype",
    "ArkoudaExtensionArray",
    "ArkoudaFloat64Dtype",
    "ArkoudaIndexAccessor",
    "ArkoudaInt64Dtype",
    "ArkoudaSeriesAccessor",
    "ArkoudaStringArray",
    "ArkoudaStringDtype",
    "ArkoudaUint8Dtype",
    "ArkoudaUint64Dtype",
]
