// JSON both ways.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

struct Order: Encodable { var item = "tea", n = 2 }
struct Receipt: Decodable { let length: Int }

let manager = HttpConversationManager()

// The body names its type, the answer decodes itself, and an error status throws.
let receipt = try await manager.post("\(server)/upload", .json(Order()), as: Receipt.self)
print(receipt.length, "bytes")

// Where both are of interest: the response first, then what is in it.
let response = try await manager.get("\(server)/status/404?body=sold+out")
do {
    let receipt: Receipt = try response.successful().decoded()
    print(receipt)
} catch {
    print(error.response?.status ?? .ok)
}
