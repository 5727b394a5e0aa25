/// The version of OData that a service speaks.
public enum ODataVersion: Hashable, Sendable, CaseIterable {
    /// OData 2.0, and its notation in 3.0.
    case v2
    /// OData 4.0 and 4.01 (OASIS).
    case v4
}
