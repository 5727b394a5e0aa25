import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import NIOCore
import NIOHTTP1

/// Answers requests to the listener: the redirect with a page, everything else with 404 (security rule S19).
///
/// Not sendable: it lives on its channel's event loop.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let known: ListenerAddress
    private let page: FinishedPage
    private let accepts: LoopbackListener.Acceptance
    private var head: HTTPRequestHead?

    init(known: ListenerAddress, page: FinishedPage, accepts: @escaping LoopbackListener.Acceptance) {
        self.known = known
        self.page = page
        self.accepts = accepts
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            isAnswer(head)
                ? answer(context, .ok, page.html, "text/html; charset=utf-8")
                : answer(context, .notFound, "Nothing here.\n", "text/plain; charset=utf-8")
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Whether a request is the expected redirect: exactly the registered address, requested like a browser does.
    private func isAnswer(_ head: HTTPRequestHead) -> Bool {
        guard let redirectURI = known.redirectURI, let target = redirectURI.target, head.method == .GET,
            head.headers["host"] == [target.origin.authority], head.uri.starts(withBytesOf: "/"),
            !head.uri.contains(ascii: "#")
        else { return false }
        guard let asked = try? target.origin.url(requestTarget: head.uri) else { return false }
        return accepts(asked.absoluteString, redirectURI)
    }

    private func answer(
        _ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ text: String, _ type: String
    ) {
        var fields = HTTPHeaders([
            ("content-type", type), ("content-length", "\(text.utf8.count)"), ("cache-control", "no-store"),
            ("connection", "close"), ("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
        ])
        fields.add(
            name: "content-security-policy",
            value: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
