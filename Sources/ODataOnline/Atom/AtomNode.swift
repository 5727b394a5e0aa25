import HttpConvFormats

/// An element of an entry.
struct AtomNode {
    /// The namespaces of Atom, of OData 2.0 and of the prefix `xml`.
    enum Namespace {
        static let atom = "http://www.w3.org/2005/Atom"
        static let data = "http://schemas.microsoft.com/ado/2007/08/dataservices"
        static let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
        static let xml = "http://www.w3.org/XML/1998/namespace"
        /// The prefix of a navigation property's name.
        static let related = "http://schemas.microsoft.com/ado/2007/08/dataservices/related/"
    }

    let start: XMLElementStart
    var text = ""
    var children: [AtomNode] = []

    func child(_ name: String, _ namespace: String) -> AtomNode? {
        children.first { $0.start.isNamed(name, namespace) }
    }

    func metadata(_ name: String) -> String? { start[name, Namespace.metadata] }
}
