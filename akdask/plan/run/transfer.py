"""What may be brought into this process: a result that cannot fit is refused before anything is computed for it."""

from __future__ import annotations

from akdask.cluster import transfer_limit
from akdask.errors import TransferError
from akdask.plan.expr.rowwise import Project


def check_transfer(project: Project, limit: float | None = None) -> None:
    """Refuse to bring a projection into this process if it takes more than a limit, or what the setting allows.

    Of columns without fixed width only what tells their elements apart is counted, and rows of unknown number are not:
    counting them would read what they are selected by a second time.

    Raises
    ------
    TransferError
        If it would take more.
    """
    size = project.rows.size
    if size is not None:
        check_bytes(size * sum(value.dtype.itemsize for value in project.values), limit)


def check_bytes(nbytes: int, limit: float | None = None) -> None:
    """Refuse a result of more bytes than a limit, or than the setting allows.

    Raises
    ------
    TransferError
        If it is.
    """
    limit = transfer_limit() if limit is None else limit
    if nbytes > limit:
        raise TransferError(
            f"this would bring {nbytes:,} bytes into this process, more than the limit of {limit:,.0f}.",
            hint="select fewer rows or columns, or raise the limit with ak.config.set(max_transfer_bytes=…): a number "
            "of bytes, text such as '64 GiB', or None for no limit; unless set, it is half of the memory.",
        )
