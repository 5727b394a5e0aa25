/// An element of an Atom document.
struct AtomElement: Sendable {
    /// The namespaces of OData 2.0 and Atom.
    enum Namespace {
        static let atom = "http://www.w3.org/2005/Atom"
        static let data = "http://schemas.microsoft.com/ado/2007/08/dataservices"
        static let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
        static let scheme = "http://schemas.microsoft.com/ado/2007/08/dataservices/scheme"
        /// The prefix of a navigation property's name.
        static let related = "http://schemas.microsoft.com/ado/2007/08/dataservices/related/"
    }

    let name: String
    let namespace: String
    /// The attributes of the metadata namespace, and those without a namespace.
    let attributes: [String: String]
    var text = ""
    var children: [AtomElement] = []

    func isNamed(_ name: String, _ namespace: String) -> Bool { self.name == name && self.namespace == namespace }

    func child(_ name: String, _ namespace: String) -> AtomElement? { children.first { $0.isNamed(name, namespace) } }
}
