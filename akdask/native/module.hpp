// Makes extension modules of plain functions over arrays: types of parameters say what Python may give.
//
//     uint64_t least(Span<const uint64_t> words) { … }
//
//     MODULE(loops, "Loops over words.",
//            {"least", overloads<least>},
//            {"add_at", overloads<add_at<double>, add_at<int64_t>>})
//
// Arrays are taken by the buffer protocol, without copies, and must be contiguous, of that type, and writable unless
// their items are const.  Items at addresses that their type does not want, as in pages of files and in messages, are
// copied if they are const, and refused otherwise.  Of several functions, the first whose parameters take the arguments
// is called.  It runs without the interpreter's lock, and tells errors by exceptions: std::invalid_argument becomes
// ValueError.

#pragma once

#ifndef Py_GIL_DISABLED
#define Py_LIMITED_API 0x030B0000
#endif
#if __has_include(<Python.h>) && !defined(WITHOUT_PYTHON_H)
#include <Python.h>
#else
#include "stable_abi.hpp"
#endif

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace akdask {

// Items of an array, one behind the other.
template <class T>
struct Span {
    T* data = nullptr;
    uint64_t size = 0;

    T& operator[](uint64_t at) const { return data[at]; }
    T* begin() const { return data; }
    T* end() const { return data + size; }
};

// Rows of a matrix, one behind the other.
template <class T>
struct Matrix {
    T* data = nullptr;
    uint64_t rows = 0, columns = 0;

    T* operator[](uint64_t row) const { return data + row * columns; }
};

// What loops call for each row: compilers inline little into large functions unless they must.
#define INLINE [[gnu::always_inline]] inline

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse(const char* message) { throw std::invalid_argument(message); }

INLINE void require(bool condition, const char* message) {
    if (__builtin_expect(!condition, 0)) refuse(message);
}

// Returns a number that is one of so many; a negative one is none.
template <class Number>
INLINE uint64_t checked(Number number, uint64_t size) {
    uint64_t found = static_cast<uint64_t>(number);
    require(found < size, "a position that is not there");
    return found;
}

namespace python {

// Whether items of a buffer are of the type: its letter is of the same kind, and they are as wide.
template <class Item>
bool holds(const Py_buffer& buffer) {
    if (buffer.itemsize != sizeof(Item) || !buffer.format) return false;
    const char* letter = buffer.format;
    if (*letter == '@' || *letter == '=' || *letter == '<') ++letter;
    if (!*letter || letter[1]) return false;
    const char* kinds = "BHILQN?";  // a bool is a byte that is 0 or 1
    if (std::is_floating_point_v<Item>) kinds = "fd";
    else if (std::is_signed_v<Item>) kinds = "bhilqn";
    return std::strchr(kinds, *letter) != nullptr;
}

// What a parameter takes of Python.  `take` returns whether the object fits; an error that it sets is cleared.
template <class T, class = void>
struct Argument;

template <class T>
struct Argument<T, std::enable_if_t<std::is_integral_v<T>>> {
    T value;

    bool take(PyObject* object) {
        PyObject* number = PyNumber_Index(object);
        if (!number) {
            // Bools of NumPy are no index.
            if (!std::is_same_v<T, bool>) return false;
            PyErr_Clear();
            int truth = PyObject_IsTrue(object);
            value = static_cast<T>(truth);
            return truth >= 0;
        }
        if constexpr (std::is_same_v<T, bool>) {
            value = PyObject_IsTrue(number) > 0;
        } else if constexpr (std::is_signed_v<T>) {
            value = static_cast<T>(PyLong_AsLongLong(number));
        } else {
            value = static_cast<T>(PyLong_AsUnsignedLongLong(number));
        }
        Py_DECREF(number);
        return !PyErr_Occurred();
    }
};

template <>
struct Argument<double> {
    double value;

    bool take(PyObject* object) {
        value = PyFloat_AsDouble(object);
        return !PyErr_Occurred();
    }
};

template <class T>
struct Buffered {
    using Item = std::remove_const_t<T>;

    Py_buffer buffer{};
    std::unique_ptr<Item[]> copy{};

    bool open(PyObject* object, int ndim) {
        int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (std::is_const_v<T> ? 0 : PyBUF_WRITABLE);
        return PyObject_GetBuffer(object, &buffer, flags) == 0 && buffer.ndim == ndim && holds<Item>(buffer);
    }

    // The items, at an address that their type wants.
    T* items() {
        if (reinterpret_cast<uintptr_t>(buffer.buf) % alignof(T) == 0) return static_cast<T*>(buffer.buf);
        require(std::is_const_v<T> || !buffer.len, "an array to write to whose items are at odd addresses");
        copy.reset(new Item[static_cast<std::size_t>(buffer.len) / sizeof(Item)]);
        std::memcpy(copy.get(), buffer.buf, static_cast<std::size_t>(buffer.len));
        return copy.get();
    }

    ~Buffered() {
        if (buffer.obj) PyBuffer_Release(&buffer);
    }
};

template <class T>
struct Argument<Span<T>> : Buffered<T> {
    Span<T> value;

    bool take(PyObject* object) {
        if (!this->open(object, 1)) return false;
        value = {this->items(), static_cast<uint64_t>(this->buffer.shape[0])};
        return true;
    }
};

template <class T>
struct Argument<Matrix<T>> : Buffered<T> {
    Matrix<T> value;

    bool take(PyObject* object) {
        if (!this->open(object, 2)) return false;
        const Py_ssize_t* shape = this->buffer.shape;
        value = {this->items(), static_cast<uint64_t>(shape[0]), static_cast<uint64_t>(shape[1])};
        return true;
    }
};

inline PyObject* given(bool value) { return PyBool_FromLong(value); }
inline PyObject* given(const char* value) { return PyUnicode_FromString(value); }
inline PyObject* given(double value) { return PyFloat_FromDouble(value); }

template <class T>
std::enable_if_t<std::is_integral_v<T>, PyObject*> given(T value) {
    if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(value);
    else return PyLong_FromUnsignedLongLong(value);
}

template <class... Items>
PyObject* given(const std::tuple<Items...>& items) {
    PyObject* found = PyTuple_New(sizeof...(Items));
    if (!found) return nullptr;
    Py_ssize_t at = 0;
    bool is_whole = std::apply(
        [&](const Items&... item) {
            return ([&] {
                PyObject* object = given(item);
                return object && PyTuple_SetItem(found, at++, object) == 0;
            }() && ...);
        },
        items);
    if (is_whole) return found;
    Py_DECREF(found);
    return nullptr;
}

// Lets other threads run Python for as long as it exists.
struct Unlocked {
    PyThreadState* state = PyEval_SaveThread();
    ~Unlocked() { PyEval_RestoreThread(state); }
};

enum class Outcome { called, failed, unfit };

template <auto function>
struct Call;

template <class Result, class... Parameters, Result (*function)(Parameters...)>
struct Call<function> {
    // Compilers take what follows the checks of arguments for rare, and would not vectorise it there.
    [[gnu::noinline]] static Result apply(Parameters... parameters) { return function(parameters...); }

    static Outcome run(PyObject* const* objects, Py_ssize_t count, PyObject*& result) {
        return run(objects, count, result, std::index_sequence_for<Parameters...>{});
    }

    template <std::size_t... At>
    static Outcome run(PyObject* const* objects, Py_ssize_t count, PyObject*& result, std::index_sequence<At...>) {
        if (count != static_cast<Py_ssize_t>(sizeof...(Parameters))) return Outcome::unfit;
        std::tuple<Argument<std::decay_t<Parameters>>...> arguments;
        try {
            if (!(std::get<At>(arguments).take(objects[At]) && ...)) {
                PyErr_Clear();
                return Outcome::unfit;
            }
            if constexpr (std::is_void_v<Result>) {
                {
                    Unlocked unlocked;
                    apply(std::get<At>(arguments).value...);
                }
                Py_INCREF(Py_None);
                result = Py_None;
            } else {
                Result found = [&] {
                    Unlocked unlocked;
                    return apply(std::get<At>(arguments).value...);
                }();
                result = given(found);
            }
        } catch (const std::bad_alloc&) {
            PyErr_NoMemory();
            return Outcome::failed;
        } catch (const std::exception& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
            return Outcome::failed;
        }
        return result ? Outcome::called : Outcome::failed;
    }
};

inline std::string described(PyObject* object) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return "a number or another object";
    }
    std::string text = std::to_string(buffer.ndim) + "-dimensional " + (buffer.format ? buffer.format : "B") +
                       std::to_string(8 * buffer.itemsize) + (buffer.readonly ? " read-only" : "") +
                       (PyBuffer_IsContiguous(&buffer, 'C') ? "" : " with gaps");
    PyBuffer_Release(&buffer);
    return text;
}

}  // namespace python

template <auto... functions>
PyObject* overloads(PyObject*, PyObject* const* objects, Py_ssize_t count) {
    using python::Outcome;
    PyObject* result = nullptr;
    Outcome outcome = Outcome::unfit;
    (void)(((outcome = python::Call<functions>::run(objects, count, result)) == Outcome::unfit) && ...);
    if (outcome == Outcome::called) return result;
    if (outcome == Outcome::unfit) {
        std::string message = "no loop takes these arguments:";
        for (Py_ssize_t at = 0; at < count; ++at) message += (at ? ", " : " ") + python::described(objects[at]);
        PyErr_SetString(PyExc_TypeError, message.c_str());
    }
    return nullptr;
}

using Function = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

struct Method {
    const char* name;
    Function function;
};

namespace python {

template <std::size_t count>
PyObject* made(PyModuleDef& definition, const Method (&methods)[count]) {
    static std::array<PyMethodDef, count + 1> table{};
    for (std::size_t at = 0; at < count; ++at) {
        auto function = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(methods[at].function));
        table[at] = {methods[at].name, function, METH_FASTCALL, nullptr};
    }
    definition.m_methods = table.data();
    return PyModuleDef_Init(&definition);
}

#ifdef Py_mod_gil
inline PyModuleDef_Slot slots[] = {{Py_mod_gil, Py_MOD_GIL_NOT_USED}, {0, nullptr}};
#else
inline PyModuleDef_Slot slots[] = {{0, nullptr}};
#endif

}  // namespace python
}  // namespace akdask

#define AKDASK_JOINED(a, b) a##b
#define AKDASK_INIT(name) AKDASK_JOINED(PyInit_, name)

// The build sets MODULE_NAME, as each source becomes a module for each level of instructions, and
// MODULE_DIGEST, which it looks for in the file of a module to see what that was made of.
#define MODULE(documentation, ...)                                                                   \
    __attribute__((used)) static const char digest[] = MODULE_DIGEST;                                \
    PyMODINIT_FUNC AKDASK_INIT(MODULE_NAME)(void) {                                                  \
        static const akdask::Method methods[] = {__VA_ARGS__};                                       \
        static PyModuleDef definition = {PyModuleDef_HEAD_INIT, nullptr, documentation, 0, nullptr,  \
                                         akdask::python::slots, nullptr,       nullptr, nullptr};    \
        return akdask::python::made(definition, methods);                                            \
    }
