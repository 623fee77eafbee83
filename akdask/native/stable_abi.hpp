// What modules take of Python's stable interface (PEP 384, of Python 3.11 and newer on 64-bit systems), for machines
// without Python's headers.  The layouts and numbers are those that its documentation promises not to change.

#pragma once

#include <cstddef>

#define PyMODINIT_FUNC extern "C" __attribute__((visibility("default"))) PyObject*

extern "C" {

using Py_ssize_t = std::ptrdiff_t;

struct PyObject {
    Py_ssize_t ob_refcnt;
    void* ob_type;
};

struct Py_buffer {
    void* buf;
    PyObject* obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char* format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void* internal;
};

using PyCFunction = PyObject* (*)(PyObject*, PyObject*);

struct PyMethodDef {
    const char* ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char* ml_doc;
};

struct PyModuleDef_Base {
    PyObject ob_base;
    PyObject* (*m_init)(void);
    Py_ssize_t m_index;
    PyObject* m_copy;
};

struct PyModuleDef_Slot {
    int slot;
    void* value;
};

struct PyModuleDef {
    PyModuleDef_Base m_base;
    const char *m_name, *m_doc;
    Py_ssize_t m_size;
    PyMethodDef* m_methods;
    PyModuleDef_Slot* m_slots;
    int (*m_traverse)(PyObject*, void*, void*);
    int (*m_clear)(PyObject*);
    void (*m_free)(void*);
};

struct PyThreadState;

extern PyObject _Py_NoneStruct;
extern PyObject *PyExc_TypeError, *PyExc_ValueError;

PyObject* PyBool_FromLong(long);
int PyBuffer_IsContiguous(const Py_buffer*, char);
void PyBuffer_Release(Py_buffer*);
void PyErr_Clear(void);
PyObject* PyErr_NoMemory(void);
PyObject* PyErr_Occurred(void);
void PyErr_SetString(PyObject*, const char*);
void PyEval_RestoreThread(PyThreadState*);
PyThreadState* PyEval_SaveThread(void);
double PyFloat_AsDouble(PyObject*);
PyObject* PyFloat_FromDouble(double);
long long PyLong_AsLongLong(PyObject*);
unsigned long long PyLong_AsUnsignedLongLong(PyObject*);
PyObject* PyLong_FromLongLong(long long);
PyObject* PyLong_FromUnsignedLongLong(unsigned long long);
PyObject* PyModuleDef_Init(PyModuleDef*);
PyObject* PyNumber_Index(PyObject*);
int PyObject_GetBuffer(PyObject*, Py_buffer*, int);
int PyObject_IsTrue(PyObject*);
PyObject* PyTuple_New(Py_ssize_t);
int PyTuple_SetItem(PyObject*, Py_ssize_t, PyObject*);
PyObject* PyUnicode_FromString(const char*);
void Py_DecRef(PyObject*);
void Py_IncRef(PyObject*);

}  // extern "C"

#define Py_None (&_Py_NoneStruct)
#define Py_DECREF Py_DecRef
#define Py_INCREF Py_IncRef
#define PyModuleDef_HEAD_INIT {{1, nullptr}, nullptr, 0, nullptr}

constexpr int METH_FASTCALL = 0x80;
constexpr int PyBUF_WRITABLE = 0x01, PyBUF_FORMAT = 0x04, PyBUF_ND = 0x08, PyBUF_STRIDES = 0x10 | PyBUF_ND;
constexpr int PyBUF_C_CONTIGUOUS = 0x20 | PyBUF_STRIDES, PyBUF_FULL_RO = 0x100 | PyBUF_STRIDES | PyBUF_FORMAT;

static_assert(sizeof(void*) == 8, "layouts are those of 64-bit systems");
