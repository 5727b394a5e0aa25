/// The protocols that the same data is served by.
enum ODataVersion: String, Sendable, CaseIterable {
    case v2
    case v4

    /// The field that says which protocol an answer is in.
    var field: (name: String, value: String) {
        self == .v2 ? ("DataServiceVersion", "2.0") : ("OData-Version", "4.0")
    }
}
