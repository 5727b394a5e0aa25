/// The start of an element as a parser reports it.
package struct XMLElementStart: Sendable {
    package struct Attribute: Sendable {
        /// The prefix of the name in the document; empty for none.
        package let prefix: String
        package let name: String
        /// The namespace; empty for none.
        package let namespace: String
        package let value: String
    }

    /// A declaration of a namespace by a tag.
    package struct Declaration: Sendable {
        /// Empty for the default namespace.
        package let prefix: String
        package let namespace: String
    }

    /// The prefix of the name in the document; empty for none.
    package let prefix: String
    package let name: String
    /// The namespace; empty for none.
    package let namespace: String
    /// The namespaces that this tag declares.
    package let declarations: [Declaration]
    package let attributes: [Attribute]

    package func isNamed(_ name: String, _ namespace: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    /// The value of an attribute.
    package subscript(name: String, namespace: String = "") -> String? {
        attributes.first { $0.name == name && $0.namespace == namespace }?.value
    }
}
