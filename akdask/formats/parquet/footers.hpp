// Row groups of footers, as most writers have them.

#pragma once

#include "thrift.hpp"

#include <algorithm>

namespace {

// What is kept of a column chunk, as places in a row of numbers; of bytes, where they begin and how many there are.
struct Kept {
    enum { TYPE, CODEC, VALUES, SIZE, DATA, DICTIONARY, NULLS, PAGES, PAGES_SIZE, BOUNDS, BOUNDS_SIZE, OLD_MOST };
    enum { OLD_LEAST = OLD_MOST + 2, MOST = OLD_LEAST + 2, LEAST = MOST + 2, COUNT = LEAST + 2 };
};

// Reads a number into its place; false if the field is no number.
bool keep_number(Structures& from, uint8_t kind, int64_t& place) {
    from.is_plain = from.is_plain && kind >= Structures::SHORT && kind <= Structures::LONG;
    if (from.is_plain) place = from.integer();
    return from.is_plain;
}

void keep_statistics(Structures& from, const uint8_t* begin, int64_t* kept) {
    from.fields(6, [&](int64_t field, uint8_t kind) {
        if (field == 3) return keep_number(from, kind, kept[Kept::NULLS]);
        int place = field == 1 ? Kept::OLD_MOST : field == 2 ? Kept::OLD_LEAST : field == 5 ? Kept::MOST : field == 6 ? Kept::LEAST : -1;
        if (place < 0) return false;
        from.is_plain = kind == Structures::BINARY;
        uint64_t size = from.number();
        kept[place] = from.at - begin;
        kept[place + 1] = static_cast<int64_t>(size);
        from.skip_bytes(size);
        return true;
    });
}

void keep_chunk(Structures& from, const uint8_t* begin, int64_t* kept) {
    bool is_told = false;
    from.fields(4, [&](int64_t field, uint8_t kind) {
        if (field == 3) {
            from.is_plain = kind == Structures::STRUCT && !is_told;
            is_told = true;
            bool has_statistics = false;
            from.fields(5, [&](int64_t inner, uint8_t inner_kind) {
                if (inner == 12) {
                    from.is_plain = inner_kind == Structures::STRUCT && !has_statistics;
                    has_statistics = true;
                    if (from.is_plain) keep_statistics(from, begin, kept);
                    return true;
                }
                int place = inner == 1 ? Kept::TYPE : inner == 4 ? Kept::CODEC : inner == 5 ? Kept::VALUES : inner == 7 ? Kept::SIZE
                            : inner == 9 ? Kept::DATA : inner == 11 ? Kept::DICTIONARY : -1;
                return place >= 0 && keep_number(from, inner_kind, kept[place]);
            });
            return true;
        }
        // Data in another file.
        from.is_plain = from.is_plain && field != 1;
        return field >= 4 && field <= 7 && keep_number(from, kind, kept[Kept::PAGES + field - 4]);
    });
    from.is_plain = from.is_plain && is_told;
}

// Reads the row groups of a footer as most writers have them, and returns how many there are, -1 if it is other than
// that.  `told` become the rows of all, -1 if they are not told, and whether orders of columns are; `kept` has a row for
// each chunk, group by group.  Where it has room for fewer groups, they are counted.
int64_t read_row_groups(Span<const uint8_t> footer, uint64_t leaves, Span<int64_t> told, Span<int64_t> rows,
                        Matrix<int64_t> kept) {
    require(told.size == 2 && kept.columns == Kept::COUNT && leaves < uint64_t{1} << 32, "other columns than are kept");
    require(rows.size < uint64_t{1} << 31 && kept.rows == rows.size * leaves, "other rows than there are chunks");
    Structures from{footer.begin(), footer.end()};
    int64_t groups = -1;
    told[0] = -1, told[1] = 0;
    std::fill(kept.data, kept.data + kept.rows * kept.columns, int64_t{-1});
    from.fields(0, [&](int64_t field, uint8_t kind) {
        if (field == 3) return keep_number(from, kind, told[0]);
        if (field == 7) {
            from.is_plain = kind == Structures::LIST;
            told[1] = 1;
        }
        if (field != 4) return false;
        from.is_plain = kind == Structures::LIST && groups < 0;
        uint64_t count = from.is_plain ? from.count_structures() : 0;
        groups = static_cast<int64_t>(count);
        for (uint64_t group = 0; from.is_plain && group < count; ++group) {
            bool has_room = count <= rows.size, has_columns = false;
            int64_t nrows = -1;
            from.fields(2, [&](int64_t part, uint8_t part_kind) {
                if (part == 3) return keep_number(from, part_kind, nrows);
                if (part != 1) return false;
                from.is_plain = part_kind == Structures::LIST && !has_columns;
                has_columns = true;
                uint64_t columns = from.is_plain ? from.count_structures() : 0;
                from.is_plain = from.is_plain && columns == leaves;
                int64_t unused[Kept::COUNT];
                for (uint64_t leaf = 0; from.is_plain && leaf < columns; ++leaf) {
                    keep_chunk(from, footer.begin(), has_room ? kept[group * leaves + leaf] : unused);
                }
                return true;
            });
            from.is_plain = from.is_plain && has_columns;
            if (has_room) rows[group] = nrows;
        }
        return true;
    });
    return from.is_plain ? groups : -1;
}

}  // namespace
