/// How a client changes a connection. Documentation of servers disagrees about PUT, and not every server takes each.
public enum UpdateStyle: Hashable, Sendable, CaseIterable {
    /// PUT of all properties that may be set, read right before: the same, whether the server replaces all of them or
    /// those that are named.
    case put
    /// MERGE of the properties that are named (OData 2.0).
    case merge
    /// PATCH of the properties that are named (RFC 5789).
    case patch
}
