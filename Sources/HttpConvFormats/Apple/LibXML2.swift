// swift-format-ignore-file: AlwaysUseLowerCamelCase
#if canImport(libxml2)
import libxml2

// The functions of the module in Apple's SDKs, under the names and with the types that CLibXML2 has for functions that
// are loaded at run time.

typealias SAXHandler = UnsafeMutablePointer<xmlSAXHandler>?
typealias Characters = UnsafePointer<CChar>?

func libxml2_htmlCreatePushParserCtxt() -> (
    @convention(c) (SAXHandler, UnsafeMutableRawPointer?, Characters, Int32, Characters, xmlCharEncoding) ->
        htmlParserCtxtPtr?
)! { htmlCreatePushParserCtxt }

func libxml2_htmlCtxtUseOptions() -> (@convention(c) (htmlParserCtxtPtr?, Int32) -> Int32)! { htmlCtxtUseOptions }

func libxml2_htmlParseChunk() -> (@convention(c) (htmlParserCtxtPtr?, Characters, Int32, Int32) -> Int32)! {
    htmlParseChunk
}

func libxml2_htmlFreeParserCtxt() -> (@convention(c) (htmlParserCtxtPtr?) -> Void)! { htmlFreeParserCtxt }

func libxml2_xmlCreatePushParserCtxt() -> (
    @convention(c) (SAXHandler, UnsafeMutableRawPointer?, Characters, Int32, Characters) -> xmlParserCtxtPtr?
)! { xmlCreatePushParserCtxt }

func libxml2_xmlCtxtUseOptions() -> (@convention(c) (xmlParserCtxtPtr?, Int32) -> Int32)! { xmlCtxtUseOptions }

func libxml2_xmlParseChunk() -> (@convention(c) (xmlParserCtxtPtr?, Characters, Int32, Int32) -> Int32)! {
    xmlParseChunk
}

func libxml2_xmlStopParser() -> (@convention(c) (xmlParserCtxtPtr?) -> Void)! { xmlStopParser }

func libxml2_xmlFreeParserCtxt() -> (@convention(c) (xmlParserCtxtPtr?) -> Void)! { xmlFreeParserCtxt }

func libxml2_xmlFreeDoc() -> (@convention(c) (xmlDocPtr?) -> Void)! { xmlFreeDoc }
#endif
