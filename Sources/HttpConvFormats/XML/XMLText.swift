/// Writes XML in its canonical form (W3C xml-c14n §2.3).
package enum XMLText {
    /// The content of an element.
    package static func escaped(_ text: String) -> String {
        text.replacing(ascii: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"])
    }

    /// The value of an attribute, for double quotes.
    package static func attribute(_ text: String) -> String {
        text.replacing(ascii: [
            "&": "&amp;", "<": "&lt;", "\"": "&quot;", "\t": "&#x9;", "\n": "&#xA;", "\r": "&#xD;",
        ])
    }

    /// The start tag of an element that was read, with its declarations of namespaces.
    package static func tag(_ element: XMLElementStart) -> String {
        var tag = "<" + name(element.prefix, element.name)
        for declaration in element.declarations {
            let name = declaration.prefix.isEmpty ? "xmlns" : "xmlns:\(declaration.prefix)"
            tag += " \(name)=\"\(attribute(declaration.namespace))\""
        }
        for attribute in element.attributes {
            tag += " \(name(attribute.prefix, attribute.name))=\"\(self.attribute(attribute.value))\""
        }
        return tag + ">"
    }

    package static func endTag(_ element: XMLElementStart) -> String { "</\(name(element.prefix, element.name))>" }

    private static func name(_ prefix: String, _ name: String) -> String { prefix.isEmpty ? name : "\(prefix):\(name)" }
}
