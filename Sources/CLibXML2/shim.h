// libxml2's HTML parser. Where libxml2 is built with ICU its headers pull in ICU's, which clash with Foundation's own
// copy; nothing of them is used here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
