import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConversationNIO

/// `[+]host:port:addr[,addr]…`, an argument of --resolve.
struct ResolveArgument {
    let host: String
    let port: Int
    /// The addresses as written.
    let addresses: [String]

    init(_ text: String) throws(CommandFailure) {
        // In curl a + lets the entry expire in its memory. A run of httpc is shorter than that.
        let entry = text.utf8.first == UInt8(ascii: "+") ? String(decoding: text.utf8.dropFirst(), as: UTF8.self) : text
        if entry.utf8.first == UInt8(ascii: "-") {
            throw CommandFailure(.usage, "--resolve: '-host:port' takes back what was never given: leave it out.")
        }
        guard let (host, rest) = entry.cut(atASCII: ":"), let (port, list) = rest.cut(atASCII: ":"),
            let number = PeerNumber.integer(port, in: 0...Int.max), !host.utf8.isEmpty, !list.utf8.isEmpty
        else { throw CommandFailure(.usage, "--resolve needs host:port:address, such as example.com:443:192.0.2.7.") }
        if host == "*" {
            throw CommandFailure(
                .usage,
                "--resolve: * would lead every server there, also those that a redirect or a login leads to: name the hosts."
            )
        }
        self.host = String(host)
        self.port = number
        addresses = list.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    }

    func apply(to table: inout NIOTransport.Addresses) throws(CommandFailure) {
        do throws(ConversationError) { try table.set(addresses, forHost: host, port: port) } catch {
            throw CommandFailure(.usage, "--resolve: \(error.message)")
        }
    }
}
