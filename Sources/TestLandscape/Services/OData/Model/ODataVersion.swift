/// The versions of the protocol. They serve the same data.
enum ODataVersion: String, Sendable, CaseIterable {
    case v2
    case v4

    /// The field with the version of an answer.
    var field: (name: String, value: String) {
        self == .v2 ? ("DataServiceVersion", "2.0") : ("OData-Version", "4.0")
    }
}
