import HTTPTypes

/// The codings that this transport undoes (RFC 9110 §8.4.1).
enum ContentCoding: Equatable {
    case gzip
    case deflate

    /// The codings of a response in the order they were applied; nil where one is unknown.
    static func list(_ fields: HTTPFields) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for value in fields[values: .contentEncoding] {
            for name in value.split(separator: ",") {
                switch name.lowercased().filter({ $0 != " " && $0 != "\t" }) {
                case "gzip", "x-gzip": codings.append(.gzip)
                case "deflate": codings.append(.deflate)
                case "identity", "": break
                default: return nil
                }
            }
        }
        return codings
    }
}
