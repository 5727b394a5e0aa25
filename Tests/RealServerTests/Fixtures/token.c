// A PKCS#11 module that passes calls on to another one (TOKEN_MODULE), and fails where a test wants it to (TOKEN_FAULT).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long number;
// The function list: a version, then pointers in the order of the standard.
struct functions {
    unsigned char version[sizeof(void *)];
    void *entries[68];
};
enum { get_token_info = 6, open_session = 12, login = 18, sign = 43 };

static struct functions copy, *real;

static int fails(const char *name) {
    const char *fault = getenv("TOKEN_FAULT");
    return fault && strcmp(fault, name) == 0;
}

static int is_gone(void) {
    const char *gone = getenv("TOKEN_GONE");
    return gone && access(gone, F_OK) == 0;
}

// Later another token is in the slot, or the next wrong PIN locks the token.
static number describe_changed(number slot, unsigned char *info) {
    number result = ((number(*)(number, void *))real->entries[get_token_info])(slot, info);
    const int serial = 80, flags = 96;
    if (result || !is_gone()) return result;
    if (fails("swapped")) info[serial] = info[serial] == '0' ? '1' : '0';
    if (fails("final")) *(number *)(info + flags) |= 0x20000;
    return result;
}

static number open_or_fail(number slot, number flags, void *a, void *b, number *session) {
    if (is_gone() && !fails("swapped") && !fails("final")) return 0xE0;
    return ((number(*)(number, number, void *, void *, number *))real->entries[open_session])(slot, flags, a, b, session);
}

static number login_or_fail(number session, number user, unsigned char *pin, number length) {
    if (fails("locked")) return 0xA4;
    static int logins;
    int is_refused = ++logins > 2 && fails("stale");
    const char *path = getenv("TOKEN_LOGINS");
    FILE *file = path ? fopen(path, "a") : 0;
    if (file) {
        fputc(is_refused ? 'x' : '.', file);
        fclose(file);
    }
    if (is_refused) return 0xA0;
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
    copy.entries[get_token_info] = describe_changed;
    copy.entries[open_session] = open_or_fail;
    copy.entries[login] = login_or_fail;
    copy.entries[sign] = sign_slowly;
    *list = &copy;
    return 0;
}
