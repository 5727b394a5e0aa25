/// The way a client changes a connection. Documentation of servers disagrees about PUT, and some servers do not accept
/// every method.
public enum UpdateStyle: Hashable, Sendable, CaseIterable {
    /// PUT of all properties that may be set, read just before. The result is the same whether the server replaces all
    /// properties or only the named ones.
    case put
    /// MERGE of the named properties (OData 2.0).
    case merge
    /// PATCH of the named properties (RFC 5789).
    case patch
}
