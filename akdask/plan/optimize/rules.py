"""The rules of the optimiser, by the kind of node that each is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from akdask.plan.expr.rowwise import Filter, Project, Zip
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.optimize.columns import (
    in_place,
    narrow_concat,
    narrow_join,
    narrow_project,
    narrow_sort,
    narrow_top_k,
    narrow_zip,
    of_columns,
)
from akdask.plan.optimize.filters import filter_first, split_filter
from akdask.plan.optimize.joins import first_of_hash_join, first_of_join, first_of_sorted_join
from akdask.plan.optimize.order import unsorted
from akdask.plan.optimize.rewriting import Rule
from akdask.plan.optimize.top import top_rows
from akdask.plan.rows.take import Take
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK
from akdask.plan.task.combine import Gather, Limit, Realign, Reverse
from akdask.plan.task.compact import Compact
from akdask.plan.task.concat import Concat

RULES: Mapping[type, Sequence[Rule]] = {
    Sort: (unsorted, first_of_sorted_join, top_rows, narrow_sort),
    TopK: (narrow_top_k,),
    HashJoin: (first_of_hash_join, narrow_join),
    Zip: (narrow_zip,),
    Filter: (split_filter, filter_first),
    Project: (narrow_project, first_of_join, in_place),
    Concat: (narrow_concat,),
    **dict.fromkeys((Compact, Gather, Limit, Realign, Reverse, Take), (of_columns,)),
}
