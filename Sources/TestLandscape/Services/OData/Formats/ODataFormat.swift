/// The format of an answer.
struct ODataFormat: Sendable, Hashable {
    enum Kind: Sendable {
        case atom
        /// The JSON of V2, with everything in `d`.
        case verbose
        /// The JSON of V4, and of V2 if “light” is requested.
        case light
    }

    enum Metadata: String, Sendable {
        case none
        case minimal
        case full
    }

    var kind: Kind
    var metadata = Metadata.minimal
    /// Whether V4 writes long numbers as texts.
    var isCompatible = false

    /// Reads `$format`, or else `Accept`.
    init(_ version: ODataVersion, accept: String?, format: String?) throws(ODataFailure) {
        let wanted = (format ?? accept ?? "*/*").lowercased()
        let isJSON = wanted.contains("json")
        if version == .v4 {
            guard isJSON || wanted.contains("*/*") || wanted.contains("multipart/mixed") || wanted.contains("xml")
            else {
                throw ODataFailure(406, "only JSON")
            }
            kind = .light
        } else {
            let isLight = wanted.contains("odata=light") || wanted.contains("metadata")
            kind = isJSON ? (isLight ? .light : .verbose) : .atom
        }
        for level in [Metadata.none, .full] where wanted.contains("metadata=\(level.rawValue)") { metadata = level }
        if wanted.contains("nometadata") { metadata = .none }
        if wanted.contains("fullmetadata") { metadata = .full }
        isCompatible = wanted.contains("ieee754compatible=true")
    }

    func type(_ version: ODataVersion, isFeed: Bool) -> String {
        switch kind {
        case .atom: "application/atom+xml;type=\(isFeed ? "feed" : "entry");charset=utf-8"
        case .verbose: "application/json;charset=utf-8"
        case .light:
            version == .v2
                ? "application/json;odata=light;charset=utf-8"
                : "application/json;odata.metadata=\(metadata.rawValue)"
                    + (isCompatible ? ";IEEE754Compatible=true" : "")
        }
    }
}
