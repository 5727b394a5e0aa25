public import HTTPTypes
public import HttpConversation

extension ScriptedTransport {
    /// A script's answer to one request: immediate or delayed, whole or in chunks, or a failure.
    public struct Answer: Sendable {
        private let head: Result<HTTPResponse, ConversationError>
        private var pieces: [ScriptedBody.Piece]
        /// The announced length; nil if it is not announced.
        private let length: Int?
        private var delay: Duration?
        private var isFromProxy = false

        private init(_ head: Result<HTTPResponse, ConversationError>, _ pieces: [ScriptedBody.Piece], length: Int?) {
            self.head = head
            self.pieces = pieces
            self.length = length
        }

        /// An answer with a status, header fields and a body.
        public init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: String = "") {
            self.init(status, fields, bytes: Array(body.utf8))
        }

        /// An answer with a status, header fields and a body.
        public init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], bytes: [UInt8]) {
            self.init(
                .success(HTTPResponse(status: status, headerFields: fields)), bytes.isEmpty ? [] : [.chunk(bytes)],
                length: bytes.count)
        }

        /// An answer whose body arrives chunk by chunk. Its length is not announced.
        public init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], chunks: [[UInt8]]) {
            self.init(
                .success(HTTPResponse(status: status, headerFields: fields)), chunks.map { .chunk($0) }, length: nil)
        }

        /// A failure of the exchange, such as a connection that could not be made.
        public static func failure(_ error: ConversationError) -> Answer { Answer(.failure(error), [], length: nil) }

        /// The same answer or failure after a delay.
        public func delayed(by duration: Duration) -> Answer {
            var answer = self
            answer.delay = (delay ?? .zero) + duration
            return answer
        }

        /// The same answer, sent by a proxy in reply to `CONNECT`.
        public func fromProxy() -> Answer {
            var answer = self
            answer.isFromProxy = true
            return answer
        }

        /// The same answer with a pause before each chunk of its body.
        public func pausing(_ duration: Duration) -> Answer {
            var answer = self
            answer.pieces = pieces.flatMap { piece in
                if case .chunk = piece { [.pause(duration), piece] } else { [piece] }
            }
            return answer
        }

        /// The same answer, whose body fails after that many bytes.
        ///
        /// - Parameters:
        ///   - count: the number of bytes before the failure
        ///   - error: the error; by default the connection ends in the middle
        public func failing(
            after count: Int, with error: ConversationError = ConversationError(.bodyCut, "The script cuts the body.")
        ) -> Answer {
            var answer = self
            var left = count
            answer.pieces = pieces.map { piece in
                guard case .chunk(let bytes) = piece else { return piece }
                defer { left -= min(left, bytes.count) }
                return .chunk(Array(bytes.prefix(left)))
            }
            answer.pieces = answer.pieces.filter { !$0.isEmptyChunk } + [.failure(error)]
            return answer
        }

        func response(_ clock: any Clock<Duration> & Sendable) async throws(ConversationError) -> TransportResponse {
            if let delay {
                do { try await clock.sleep(for: delay) } catch { throw .cancelled }
            }
            return TransportResponse(head: try head.get(), body: body(clock), isFromProxy: isFromProxy)
        }

        private func body(_ clock: any Clock<Duration> & Sendable) -> ResponseBody {
            if pieces.isEmpty { return ResponseBody() }
            if let length, case .chunk(let bytes) = pieces[0], pieces.count == 1, bytes.count == length {
                return ResponseBody(bytes: bytes)
            }
            return ResponseBody(ScriptedBody(pieces, clock: clock), expectedLength: length)
        }
    }
}
