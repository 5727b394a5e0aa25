import HTTPTypes
import HummingbirdCore

/// `/challenge`: a 401 with the challenges of the query, byte for byte.
struct ChallengeEndpoint: Service {
    func register(in table: inout EndpointTable) {
        table.add("challenge") { exchange in
            let status = exchange.number("status", default: 401, in: 400...499)
            let name = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
            var head = Array("HTTP/1.1 \(status) Challenged\r\n".utf8)
            for item in exchange.query where item.name == "line" {
                head += Array("\(name): ".utf8) + item.value + [13, 10]
            }
            return exchange.answer(WireScript([.bytes(head + Array("Content-Length: 0\r\n\r\n".utf8))]))
        }
    }

    let contents = [
        ContentsEntry("/challenge?line=…&line=…&status=401", "challenges as given, raw; never lets anybody in")
    ]
}
