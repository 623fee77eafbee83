// Row groups of footers, as most writers have them.

#pragma once

#include "thrift.hpp"

#include <algorithm>
#include <vector>

namespace {

constexpr uint64_t TEXT_BYTES = 16;

// `CHUNK` of thrift.py: the metadata of a column in one row group, or in one page.
#pragma pack(push, 1)
struct Chunk {
    int8_t problem, codec;
    int64_t offset, size, values, nulls;
    bool bounded, spelled;
    uint64_t minimum, maximum;
    std::array<char, TEXT_BYTES> low, high;
    int64_t pages, pages_size, bounds, bounds_size;
};
#pragma pack(pop)

struct Physical {
    enum : int64_t { BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY };
};
constexpr int64_t CODECS = 8;

// Returns the bytes of each value, 0 where there may be any number, or none that are compared.
uint64_t width_of(int64_t physical) {
    switch (physical) {
        case Physical::BOOLEAN: return 1;
        case Physical::INT32: case Physical::FLOAT: return 4;
        case Physical::INT64: case Physical::DOUBLE: return 8;
        default: return 0;
    }
}

// Notes the bytes of a minimum and a maximum where these are values of the type.
void note_sides(Chunk& chunk, int64_t physical, Span<const uint8_t> low, Span<const uint8_t> high) {
    uint64_t width = width_of(physical);
    if (width && low.size == width && high.size == width) {
        chunk.bounded = true;
        std::memcpy(&chunk.minimum, low.data, width);
        std::memcpy(&chunk.maximum, high.data, width);
    } else if (physical == Physical::BYTE_ARRAY) {
        chunk.spelled = true;
        std::memcpy(chunk.low.data(), low.data, std::min(low.size, TEXT_BYTES));
        std::memcpy(chunk.high.data(), high.data, std::min(high.size, TEXT_BYTES));
    }
}

// What is kept of a column chunk, as places in a row of numbers; of bytes, where they begin and how many there are.
struct Kept {
    enum {
        TYPE, CODEC, VALUES, SIZE, DATA, DICTIONARY, NULLS, PAGES, PAGES_SIZE, BOUNDS, BOUNDS_SIZE, OLD_MOST,
        OLD_LEAST = OLD_MOST + 2, MOST = OLD_LEAST + 2, LEAST = MOST + 2, COUNT = LEAST + 2
    };
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

// Makes a chunk of what is kept of it; returns false for one that cannot be read.  `leaf` has its physical type, whether
// there is a value for each row, and whether it is unsigned.
bool place_chunk(const int64_t* kept, const int64_t* leaf, int64_t nrows, int64_t end, bool has_orders,
                 const uint8_t* begin, Chunk& found) {
    bool is_flat = leaf[1], is_signed = width_of(leaf[0]) && !leaf[2];
    int64_t data = kept[Kept::DATA], dictionary = kept[Kept::DICTIONARY], size = kept[Kept::SIZE];
    // Some writers store 0 where there is no dictionary.
    int64_t offset = dictionary > 0 && dictionary < data ? dictionary : data, values = kept[Kept::VALUES];
    auto is_within = [&](int64_t from, int64_t count) { return from >= 4 && count > 0 && count <= end - from; };
    if (kept[Kept::TYPE] != leaf[0] || kept[Kept::CODEC] < 0 || kept[Kept::CODEC] >= CODECS) return false;
    if (values < 0 || (is_flat && values != nrows) || ((nrows || values) && !is_within(offset, size))) return false;
    found = {};
    found.codec = static_cast<int8_t>(kept[Kept::CODEC]);
    found.offset = offset, found.size = size, found.values = values;
    found.nulls = kept[Kept::NULLS] >= 0 && kept[Kept::NULLS] <= values ? kept[Kept::NULLS] : -1;
    if (is_within(kept[Kept::PAGES], kept[Kept::PAGES_SIZE])) {
        found.pages = kept[Kept::PAGES], found.pages_size = kept[Kept::PAGES_SIZE];
    }
    if ((has_orders || is_signed) && is_within(kept[Kept::BOUNDS], kept[Kept::BOUNDS_SIZE])) {
        found.bounds = kept[Kept::BOUNDS], found.bounds_size = kept[Kept::BOUNDS_SIZE];
    }
    bool has_new = has_orders && kept[Kept::MOST + 1] >= 0 && kept[Kept::LEAST + 1] >= 0;
    // Statistics of older writers are right only in the order of signed numbers.
    if (!has_new && !is_signed) return true;
    const int64_t* low = kept + (has_new ? Kept::LEAST : Kept::OLD_LEAST);
    const int64_t* high = kept + (has_new ? Kept::MOST : Kept::OLD_MOST);
    if (low[1] < 0 || high[1] < 0) return true;
    auto bytes = [&](const int64_t* side) {
        return Span<const uint8_t>{begin + side[0], static_cast<uint64_t>(side[1])};
    };
    note_sides(found, leaf[0], bytes(low), bytes(high));
    return true;
}

// Reads the row groups of a footer as most writers have them, and returns how many there are, -1 if it is other than
// that, or a chunk cannot be read.  `total` become the rows of all, -1 if they are not told; `chunks` has a `CHUNK` for
// each leaf and group.  Where there is room for another number of groups, they are counted.
int64_t read_row_groups(Span<const uint8_t> footer, Matrix<const int64_t> leaves, int64_t end, Span<int64_t> total,
                        Span<int64_t> rows, Matrix<uint8_t> chunks) {
    require(total.size == 1 && leaves.columns == 3 && chunks.columns == sizeof(Chunk), "other columns than are kept");
    require(leaves.rows < uint64_t{1} << 32 && rows.size < uint64_t{1} << 31, "more chunks than there can be");
    require(chunks.rows == rows.size * leaves.rows, "other rows than there are chunks");
    Structures from{footer.begin(), footer.end()};
    int64_t groups = -1;
    bool has_orders = false;
    total[0] = -1;
    std::vector<std::array<int64_t, Kept::COUNT>> kept(chunks.rows);
    for (auto& chunk : kept) chunk.fill(-1);
    from.fields(0, [&](int64_t field, uint8_t kind) {
        if (field == 3) return keep_number(from, kind, total[0]);
        if (field == 7) {
            from.is_plain = kind == Structures::LIST;
            has_orders = true;
        }
        if (field != 4) return false;
        from.is_plain = kind == Structures::LIST && groups < 0;
        uint64_t count = from.is_plain ? from.count_structures() : 0;
        groups = static_cast<int64_t>(count);
        bool has_room = count == rows.size;
        for (uint64_t group = 0; from.is_plain && group < count; ++group) {
            bool has_columns = false;
            int64_t nrows = -1;
            from.fields(2, [&](int64_t part, uint8_t part_kind) {
                if (part == 3) return keep_number(from, part_kind, nrows);
                if (part != 1) return false;
                from.is_plain = part_kind == Structures::LIST && !has_columns;
                has_columns = true;
                uint64_t columns = from.is_plain ? from.count_structures() : 0;
                from.is_plain = from.is_plain && columns == leaves.rows;
                int64_t unused[Kept::COUNT];
                for (uint64_t leaf = 0; from.is_plain && leaf < columns; ++leaf) {
                    keep_chunk(from, footer.begin(), has_room ? kept[group * leaves.rows + leaf].data() : unused);
                }
                return true;
            });
            from.is_plain = from.is_plain && has_columns;
            if (has_room) rows[group] = nrows;
        }
        return true;
    });
    if (!from.is_plain || static_cast<uint64_t>(groups) != rows.size) return from.is_plain ? groups : -1;
    for (uint64_t leaf = 0; leaf < leaves.rows; ++leaf) {
        for (uint64_t group = 0; group < rows.size; ++group) {
            Chunk found;
            const int64_t* told = kept[group * leaves.rows + leaf].data();
            if (!place_chunk(told, leaves[leaf], rows[group], end, has_orders, footer.begin(), found)) return -1;
            std::memcpy(chunks[leaf * rows.size + group], &found, sizeof found);
        }
    }
    return groups;
}

}  // namespace
