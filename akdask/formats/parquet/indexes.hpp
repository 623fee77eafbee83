// Indexes of pages, as most writers have them.

#pragma once

#include "footers.hpp"

#include <cmath>
#include <string_view>

namespace {

// Where a data page lies, as rows of a table.
struct Location {
    enum { FIRST, ROWS, OFFSET, SIZE, COUNT };
};

// Returns a chunk from its bytes.
Chunk chunk_of(Span<const uint8_t> bytes) {
    require(bytes.size == sizeof(Chunk), "bytes of no chunk");
    Chunk found;
    std::memcpy(&found, bytes.data, sizeof found);
    return found;
}

// Reads where the pages of a chunk lie as most writers tell it, and returns how many there are, -1 where the index is
// other than that, or not that of the chunk, whose `CHUNK` is given by its bytes.  `found` become first row, rows, offset
// and size of each page.  Where there is room for another number, they are counted.
int64_t read_page_locations(Span<const uint8_t> index, Span<const uint8_t> bytes, Matrix<int64_t> found) {
    require(found.rows == Location::COUNT, "other fields than are kept");
    Chunk chunk = chunk_of(bytes);
    Structures from{index.begin(), index.end()};
    int64_t count = -1;
    from.fields(0, [&](int64_t field, uint8_t kind) {
        if (field != 1) return false;
        from.is_plain = kind == Structures::LIST && count < 0;
        count = static_cast<int64_t>(from.is_plain ? from.count_structures() : 0);
        bool has_room = static_cast<uint64_t>(count) == found.columns;
        for (int64_t page = 0; from.is_plain && page < count; ++page) {
            std::array<int64_t, Location::COUNT> place;
            place.fill(-1);
            from.fields(1, [&](int64_t part, uint8_t part_kind) {
                int to = part == 1 ? Location::OFFSET : part == 2 ? Location::SIZE : part == 3 ? Location::FIRST : -1;
                return to >= 0 && keep_number(from, part_kind, place[static_cast<std::size_t>(to)]);
            });
            for (std::size_t to = 0; has_room && to < Location::COUNT; ++to) found[to][page] = place[to];
        }
        return true;
    });
    constexpr int64_t FAR = int64_t{1} << 62;
    if (!from.is_plain || count <= 0 || chunk.offset < 0 || chunk.offset > FAR || chunk.size < 0 || chunk.size > FAR) return -1;
    if (static_cast<uint64_t>(count) != found.columns) return count;
    // The index must cover the chunk without gaps.
    int64_t at = chunk.offset, end = chunk.offset + chunk.size, row = 0;
    for (int64_t page = 0; page < count; ++page) {
        int64_t next = page + 1 < count ? found[Location::FIRST][page + 1] : chunk.values;
        int64_t size = found[Location::SIZE][page];
        if (found[Location::FIRST][page] != row || next <= row || next > chunk.values) return -1;
        if (found[Location::OFFSET][page] != at || size <= 0 || size > end - at) return -1;
        found[Location::ROWS][page] = next - row;
        row = next;
        at += size;
    }
    return at == end ? count : -1;
}

// What pages are compared by: a minimum or a maximum, as a value of the type.
template <class Value>
struct NumberSide {
    bool is_known = false;
    Value low{}, high{};

    explicit NumberSide(const Chunk& chunk) {
        std::memcpy(&low, &chunk.minimum, sizeof low);
        std::memcpy(&high, &chunk.maximum, sizeof high);
        // NaN is no bound.
        is_known = chunk.bounded && low == low && high == high;
    }
};

struct TextSide {
    bool is_known;
    std::string_view low, high;

    explicit TextSide(const Chunk& chunk)
        : is_known(chunk.spelled), low(chunk.low.data(), TEXT_BYTES), high(chunk.high.data(), TEXT_BYTES) {}
};

// Whether minima and maxima of pages are in their declared order, and add up to those of their chunk.
template <class Side>
bool add_up(const std::vector<Chunk>& pages, const Chunk& chunk, int64_t order) {
    bool has_all = true;
    const Chunk *before = nullptr, *least = nullptr, *most = nullptr;
    for (const Chunk& page : pages) {
        Side side(page);
        has_all = has_all && (side.is_known || page.nulls == page.values);
        if (!side.is_known) continue;
        if (side.low > side.high) return false;
        if (before) {
            Side last(*before);
            if (order == 1 && (side.low < last.low || side.high < last.high)) return false;
            if (order == 2 && (side.low > last.low || side.high > last.high)) return false;
        }
        before = &page;
        if (!least || side.low < Side(*least).low) least = &page;
        if (!most || side.high > Side(*most).high) most = &page;
    }
    Side whole(chunk);
    // Only if every page with values has bounds must one of them have the chunk's minimum.
    if (!whole.is_known || !has_all) return true;
    return least && !(Side(*least).low > whole.low) && !(Side(*most).high < whole.high);
}

bool are_right(const std::vector<Chunk>& pages, const Chunk& chunk, int64_t physical, bool is_unsigned, int64_t order) {
    switch (physical) {
        case Physical::BOOLEAN: return add_up<NumberSide<uint8_t>>(pages, chunk, order);
        case Physical::INT32:
            return is_unsigned ? add_up<NumberSide<uint32_t>>(pages, chunk, order)
                               : add_up<NumberSide<int32_t>>(pages, chunk, order);
        case Physical::INT64:
            return is_unsigned ? add_up<NumberSide<uint64_t>>(pages, chunk, order)
                               : add_up<NumberSide<int64_t>>(pages, chunk, order);
        case Physical::FLOAT: return add_up<NumberSide<float>>(pages, chunk, order);
        case Physical::DOUBLE: return add_up<NumberSide<double>>(pages, chunk, order);
        default: return physical == Physical::BYTE_ARRAY && add_up<TextSide>(pages, chunk, order);
    }
}

// Reads minima, maxima and nulls of pages of so many rows as most writers tell them, into the bytes of a `CHUNK` for each;
// returns false where the index is other than that, or cannot be that of the chunk, whose `CHUNK` is given by its bytes.
bool read_page_bounds(Span<const uint8_t> index, Span<const uint8_t> bytes, int64_t physical, bool is_unsigned,
                      Span<const int64_t> rows, Matrix<uint8_t> found) {
    require(found.columns == sizeof(Chunk) && found.rows == rows.size, "other pages than there are rows of");
    Chunk chunk = chunk_of(bytes);
    Structures from{index.begin(), index.end()};
    std::vector<Chunk> pages(found.rows);
    std::vector<uint8_t> empty(found.rows);
    std::vector<std::array<Span<const uint8_t>, 2>> sides(found.rows);
    std::array<bool, 6> seen{};
    int64_t order = -1;
    for (Chunk& page : pages) page.nulls = -1;
    from.fields(0, [&](int64_t field, uint8_t kind) {
        if (field < 1 || field > 5) return false;
        from.is_plain = from.is_plain && !seen[static_cast<std::size_t>(field)];
        seen[static_cast<std::size_t>(field)] = true;
        if (field == 4) return keep_number(from, kind, order);
        from.is_plain = from.is_plain && kind == Structures::LIST;
        uint8_t item = 0;
        uint64_t count = from.is_plain ? from.count_items(item) : 0;
        from.is_plain = from.is_plain && count == found.rows;
        for (uint64_t page = 0; from.is_plain && page < count; ++page) {
            if (field == 1) {
                from.is_plain = item == Structures::YES || item == Structures::NO;
                empty[page] = from.byte() == Structures::YES;
            } else if (field == 5) {
                int64_t told = -1;
                keep_number(from, item, told);
                pages[page].nulls = told;
            } else {
                from.is_plain = item == Structures::BINARY;
                uint64_t size = from.number();
                sides[page][field == 3] = {from.at, size};
                from.skip_bytes(size);
            }
        }
        return true;
    });
    if (!from.is_plain || !seen[1] || !seen[2] || !seen[3]) return false;
    int64_t nulls = 0;
    bool are_counted = true;
    for (uint64_t page = 0; page < found.rows; ++page) {
        Chunk& each = pages[page];
        each.values = rows[page];
        if (each.nulls < -1 || each.nulls > each.values) return false;
        if (empty[page] && each.nulls < 0) each.nulls = each.values;
        if ((each.nulls == each.values) != static_cast<bool>(empty[page])) return false;
        if (!empty[page]) note_sides(each, physical, sides[page][0], sides[page][1]);
        are_counted = are_counted && each.nulls >= 0;
        nulls += each.nulls;
    }
    if (chunk.nulls >= 0 && are_counted && nulls != chunk.nulls) return false;
    if (!are_right(pages, chunk, physical, is_unsigned, order)) return false;
    for (uint64_t page = 0; page < found.rows; ++page) std::memcpy(found[page], &pages[page], sizeof(Chunk));
    return true;
}

}  // namespace
