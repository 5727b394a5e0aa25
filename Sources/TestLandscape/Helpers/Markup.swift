/// Writes XML in its exclusive canonical form (W3C xml-exc-c14n), and HTML attribute values.
enum Markup {
    static let assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion"
    static let protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol"
    static let signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"
    static let soapNamespace = "http://schemas.xmlsoap.org/soap/envelope/"

    /// An element with its attributes in canonical order: namespaces first, then by name.
    static func element(_ name: String, _ attributes: [String: String], _ content: String = "") -> String {
        let ordered = attributes.sorted { one, other in
            let (isFirst, isSecond) = (one.key.hasPrefix("xmlns"), other.key.hasPrefix("xmlns"))
            return isFirst == isSecond ? one.key < other.key : isFirst
        }
        let written = ordered.map { " \($0.key)=\"\(attribute($0.value))\"" }.joined()
        return "<\(name)\(written)>\(content)</\(name)>"
    }

    /// The text of an element (Canonical XML 1.0, 2.3).
    static func text(_ text: String) -> String {
        replace(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"])
    }

    private static func attribute(_ text: String) -> String {
        replace(
            text, ["&": "&amp;", "<": "&lt;", "\"": "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;"])
    }

    private static func replace(_ text: String, _ table: [Unicode.Scalar: String]) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += table[$1] ?? String($1) }
    }

    /// An HTML attribute value with character references for everything but letters and digits, as some real service
    /// providers write it.
    static func references(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": result.unicodeScalars.append(scalar)
            case "&": result += "&amp;"
            case "/", "+": result += "&#x" + String(scalar.value, radix: 16) + ";"
            default: result += "&#\(scalar.value);"
            }
        }
    }
}
