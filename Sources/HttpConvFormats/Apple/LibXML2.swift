// swift-format-ignore-file: AlwaysUseLowerCamelCase
#if canImport(libxml2)
import libxml2

// The functions of the module in Apple's SDKs, under the names that CLibXML2 has for functions that are loaded at run time.

typealias SAXHandler = UnsafeMutablePointer<xmlSAXHandler>?
typealias Chunk = UnsafePointer<CChar>?

func libxml2_htmlCreatePushParserCtxt() -> (
    (SAXHandler, UnsafeMutableRawPointer?, Chunk, Int32, Chunk, xmlCharEncoding) -> htmlParserCtxtPtr?
)? { htmlCreatePushParserCtxt }

func libxml2_htmlCtxtUseOptions() -> ((htmlParserCtxtPtr?, Int32) -> Int32)? { htmlCtxtUseOptions }

func libxml2_htmlParseChunk() -> ((htmlParserCtxtPtr?, Chunk, Int32, Int32) -> Int32)? { htmlParseChunk }

func libxml2_htmlFreeParserCtxt() -> ((htmlParserCtxtPtr?) -> Void)? { htmlFreeParserCtxt }

func libxml2_xmlCreatePushParserCtxt() -> (
    (SAXHandler, UnsafeMutableRawPointer?, Chunk, Int32, Chunk) -> xmlParserCtxtPtr?
)? { xmlCreatePushParserCtxt }

func libxml2_xmlCtxtUseOptions() -> ((xmlParserCtxtPtr?, Int32) -> Int32)? { xmlCtxtUseOptions }

func libxml2_xmlParseChunk() -> ((xmlParserCtxtPtr?, Chunk, Int32, Int32) -> Int32)? { xmlParseChunk }

func libxml2_xmlStopParser() -> ((xmlParserCtxtPtr?) -> Void)? { xmlStopParser }

func libxml2_xmlFreeParserCtxt() -> ((xmlParserCtxtPtr?) -> Void)? { xmlFreeParserCtxt }

func libxml2_xmlFreeDoc() -> ((xmlDocPtr?) -> Void)? { xmlFreeDoc }
#endif
