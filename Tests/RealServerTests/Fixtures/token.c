// A PKCS#11 module that passes calls on to another one (TOKEN_MODULE), and fails where a test wants it to (TOKEN_FAULT).
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long number;
// The function list: a version, then pointers in the order of the standard.
struct functions {
    unsigned char version[sizeof(void *)];
    void *entries[68];
};
enum { open_session = 12, login = 18, sign = 43 };

static struct functions copy, *real;

static int fails(const char *name) {
    const char *fault = getenv("TOKEN_FAULT");
    return fault && strcmp(fault, name) == 0;
}

static number open_or_fail(number slot, number flags, void *a, void *b, number *session) {
    const char *gone = getenv("TOKEN_GONE");
    if (gone && access(gone, F_OK) == 0) return 0xE0;
    return ((number(*)(number, number, void *, void *, number *))real->entries[open_session])(slot, flags, a, b, session);
}

static number login_or_fail(number session, number user, unsigned char *pin, number length) {
    if (fails("locked")) return 0xA4;
    return ((number(*)(number, number, unsigned char *, number))real->entries[login])(session, user, pin, length);
}

static number sign_slowly(number session, unsigned char *data, number length, unsigned char *out, number *out_length) {
    if (fails("slow")) sleep(1);
    if (fails("broken")) return 0x30;
    return ((number(*)(number, unsigned char *, number, unsigned char *, number *))real->entries[sign])(
        session, data, length, out, out_length);
}

number C_GetFunctionList(struct functions **list) {
    void *library = dlopen(getenv("TOKEN_MODULE"), RTLD_NOW);
    number (*get)(struct functions **) = library ? (number(*)(struct functions **))dlsym(library, "C_GetFunctionList") : 0;
    number result = get ? get(&real) : 6;
    if (result) return result;
    copy = *real;
    copy.entries[open_session] = open_or_fail;
    copy.entries[login] = login_or_fail;
    copy.entries[sign] = sign_slowly;
    *list = &copy;
    return 0;
}
