import Foundation

/// A request as reported by `Fixtures/sink.py`.
struct Arrived: Decodable {
    let method: String
    let user: String?
    let length: Int
    let sha256: String
    let announced: String?
    let type: String?
    let fields: [String: String]

    init(_ text: String) throws {
        self = try JSONDecoder().decode(Arrived.self, from: Data(text.utf8))
    }
}
