/// The service's error for a failed request.
struct ODataFailure: Error, Sendable {
    var status: Int
    var code: String
    var message: String
    var target: String?
    /// Further errors, with their targets.
    var details: [(message: String, target: String)] = []
    /// The present tag of the entity.
    var tag: String?

    init(_ status: Int, _ message: String, code: String? = nil, target: String? = nil, tag: String? = nil) {
        self.status = status
        self.message = message
        self.code = code ?? "LND/\(status)"
        self.target = target
        self.tag = tag
    }

    static func syntax(_ text: String) -> ODataFailure { ODataFailure(400, text, code: "LND/SYNTAX") }

    static func unknownProperty(_ name: String, of set: ODataModel.EntitySet) -> ODataFailure {
        ODataFailure(400, "\(set.type) has no property “\(name)”", code: "LND/PROPERTY", target: name)
    }

    static let nothing = ODataFailure(404, "there is nothing of that name")
}
