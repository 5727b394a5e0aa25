// Sends and receives JSON.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

struct Order: Encodable { var item = "tea", n = 2 }
struct Receipt: Decodable { let length: Int }

let manager = HttpConversationManager()

// The body sets its media type, the answer is decoded, and an error status throws.
let receipt = try await manager.post("\(server)/upload", .json(Order()), as: Receipt.self)
print(receipt.length, "bytes")

// To read both, take the response first and then its content.
let response = try await manager.get("\(server)/status/404?body=sold+out")
do {
    let receipt: Receipt = try response.successful().decoded()
    print(receipt)
} catch {
    print(error.response?.status ?? .ok)
}
