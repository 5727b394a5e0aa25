// An authentication scheme of your own, stronger than Digest.
import Crypto
import Foundation
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

struct Signer: ChallengeFilter {
    let key: SymmetricKey
    let handles: Set = [AuthenticationMethod("x-hmac", strength: 30)]

    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) -> ChallengeAnswer {
        .authorization(for: challenge) { request in
            let text = Data("\(request.method) \(request.target.requestTarget)".utf8)
            let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
            return "X-HMAC " + code.map { String(format: "%02x", $0) }.joined()
        }
    }
}

let manager = HttpConversationManager(.password("alice", "wonderland", for: server))
let signer = Signer(key: SymmetricKey(data: Data("wonderland".utf8)))
manager.update { $0.add(signer) }
print(try await manager.get("\(server)/signed/report").text)
