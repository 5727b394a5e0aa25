// libxml2's parsers. Where libxml2 is built with ICU its headers pull in ICU's, which clash with Foundation's own copy;
// nothing of them is used here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>

// On Linux the library is loaded when it is first used: Debian's brings ICU, liblzma and libstdc++ along, which a request that
// meets no page never needs. Each function below returns one of the library's, or null if there is no libxml2.
#ifdef __linux__
#include <dlfcn.h>

#if LIBXML_VERSION >= 21400
#define LIBXML2_FILE "libxml2.so.16"
#else
#define LIBXML2_FILE "libxml2.so.2"
#endif

static inline void *libxml2_symbol(const char *name) {
    static void *loaded;
    void *library = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
    if (!library) {
        library = dlopen(LIBXML2_FILE, RTLD_NOW | RTLD_LOCAL);
        __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
    }
    return library ? dlsym(library, name) : 0;
}

#define LIBXML2_FUNCTION(name) \
    static inline __typeof__(&name) libxml2_##name(void) { return (__typeof__(&name))libxml2_symbol(#name); }
#else
#define LIBXML2_FUNCTION(name) \
    static inline __typeof__(&name) libxml2_##name(void) { return &name; }
#endif

LIBXML2_FUNCTION(htmlCreatePushParserCtxt)
LIBXML2_FUNCTION(htmlCtxtUseOptions)
LIBXML2_FUNCTION(htmlParseChunk)
LIBXML2_FUNCTION(htmlFreeParserCtxt)
LIBXML2_FUNCTION(xmlCreatePushParserCtxt)
LIBXML2_FUNCTION(xmlCtxtUseOptions)
LIBXML2_FUNCTION(xmlParseChunk)
LIBXML2_FUNCTION(xmlStopParser)
LIBXML2_FUNCTION(xmlFreeParserCtxt)
LIBXML2_FUNCTION(xmlFreeDoc)
