/// An entity with the number of its changes.
struct ODataEntity: Sendable {
    var properties: [String: ODataValue]
    var changes = 1
    var media: Media?

    struct Media: Sendable {
        var type: String
        var bytes: [UInt8]
        var changes = 1
    }

    var tag: String { "W/\"\(changes)\"" }
}
