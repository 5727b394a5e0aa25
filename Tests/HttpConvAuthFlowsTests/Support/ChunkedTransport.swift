import HTTPTypes
import HttpConversation
import Synchronization

/// Answers every request with one response whose body comes in chunks, and counts the chunks read.
final class ChunkedTransport: HTTPTransport {
    private final class Body: TransportBody {
        let chunks: Mutex<[[UInt8]]>
        let reads: Box<Int>

        init(_ chunks: [[UInt8]], _ reads: Box<Int>) {
            self.chunks = Mutex(chunks)
            self.reads = reads
        }

        func next() async throws(ConversationError) -> [UInt8]? {
            reads.update { $0 += 1 }
            return chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }

        func cancel() {}
    }

    let reads = Box(0)
    private let head: HTTPResponse
    private let chunks: [[UInt8]]

    init(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields, _ chunks: [[UInt8]]) {
        head = HTTPResponse(status: status, headerFields: fields)
        self.chunks = chunks
    }

    var capabilities: TransportCapabilities { [.streamingResponses] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        TransportResponse(head: head, body: ResponseBody(Body(chunks, reads)))
    }

    func shutdown() async {}
}
