/// Answers requests on the data, in one version of the protocol. Connections and logins are handled elsewhere.
struct ODataService: Sendable {
    let version: ODataVersion
    /// The absolute URL, with a slash at its end.
    let root: String
    /// The same URL on another origin.
    let elsewhere: String
    let rule: ODataRule

    /// The answer. Failures become answers, too.
    func answer(_ call: ODataRequest, _ data: inout ODataData) -> ODataAnswer {
        let format = try? ODataFormat(version, accept: call.field("Accept"), format: call.option("$format"))
        do throws(ODataFailure) {
            return try respond(call, &data)
        } catch {
            return error.status == 204 ? ODataAnswer(204) : ODataAnswer(error, version, format)
        }
    }

    private func respond(_ call: ODataRequest, _ data: inout ODataData) throws(ODataFailure) -> ODataAnswer {
        let format = try ODataFormat(version, accept: call.field("Accept"), format: call.option("$format"))
        let writer = ODataWriter(version: version, format: format, root: root, data: data)
        let isReading = ["GET", "HEAD"].contains(call.method)
        switch (call.segments.first, call.segments.count) {
        case (nil, _) where isReading:
            let type =
                format.kind == .atom ? "application/atomsvc+xml;charset=utf-8" : format.type(version, isFeed: true)
            return ODataAnswer(200, ODataMetadata.serviceDocument(version, format, root: root), type: type)
        case ("$metadata", 1) where isReading:
            return ODataAnswer(200, ODataMetadata.csdl(version), type: "application/xml;charset=utf-8")
        case ("$batch", 1) where call.method == "POST":
            return try batch(call, &data)
        default:
            let rows = Int(call.option("rows") ?? "") ?? 1000
            let place = try ODataPath(version: version, data: data).place(call.segments, rows: min(rows, 1_000_000))
            if case .operation(let operation, let bound, let arguments) = place {
                return try run(operation, bound, arguments, call, writer, &data)
            }
            return isReading ? try read(place, call, writer) : try write(place, call, &data)
        }
    }

    static let plain = "text/plain;charset=utf-8"

    static func tag(_ entity: ODataEntity, _ set: ODataModel.EntitySet) -> [HeaderField] {
        set.hasTags ? [HeaderField(name: "ETag", value: entity.tag)] : []
    }
}
