import HttpConversationConformance
import NIOCore
import NIOSSL

/// A hand-written proxy and server in one, which ends its first connection in a phase.
struct EndingServer: Sendable {
    let phase: ConnectionPhase
    let end: ConnectionEnd
    let way: ConnectionWay
    let authority: TestAuthority

    func serve(_ connection: ServerConnection) async throws {
        let isFirst = connection.index == 0
        if way.proxy == .https {
            if isFirst, phase == .proxyTLS { return try await endAfterReading(connection) }
            try await startTLS(connection, try authority.serverContext(), nil)
        }
        if way.hasTunnel { guard try await makeTunnel(connection, isFirst) else { return } }
        if way.isSecure {
            if isFirst, phase == .tls { return try await endAfterReading(connection) }
            let ends = isFirst && (phase == .preface || phase == .certificate)
            let context = try way.context(authority, asks: phase == .certificate)
            try await startTLS(connection, context, ends ? end : nil)
            if ends { return try await connection.untilClosed() }
        }
        if way.isHTTP2 { try await serveHTTP2(connection, isFirst) } else { try await serveHTTP1(connection, isFirst) }
    }

    private func endAfterReading(_ connection: ServerConnection) async throws {
        _ = try await connection.read()
        try await end.happen(to: connection)
    }

    /// Starts TLS with the client's first bytes, which were read already.
    private func startTLS(
        _ connection: ServerConnection, _ context: NIOSSLContext, _ end: ConnectionEnd?
    ) async throws {
        guard let hello = try await connection.read() else { throw ServerConnection.Ended() }
        let channel = connection.channel
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let outer = try? pipeline.context(handlerType: NIOSSLServerHandler.self)
            let position = outer.map { ChannelPipeline.SynchronousOperations.Position.after($0.handler) } ?? .first
            try pipeline.addHandler(NIOSSLServerHandler(context: context), position: position)
            if let end { try pipeline.addHandler(FlightEnd(end), position: position) }
            let bytes = ByteBuffer(bytes: hello)
            if let outer {
                outer.fireChannelRead(NIOAny(bytes))
                outer.fireChannelReadComplete()
            } else {
                pipeline.fireChannelRead(NIOAny(bytes))
                pipeline.fireChannelReadComplete()
            }
        }.get()
    }

    /// - Returns: whether the connection continues
    private func makeTunnel(_ connection: ServerConnection, _ isFirst: Bool) async throws -> Bool {
        let isSOCKS = way.proxy == .socks5
        if isSOCKS { _ = try await connection.readBytes(3) } else { _ = try await connection.readHead() }
        if isFirst, phase == .proxyAsked {
            try await end.happen(to: connection)
            return false
        }
        if isSOCKS {
            try await connection.write([5, 0])
            // The rest, whether it is the name localhost or an address.
            _ = try await connection.read()
        }
        let answer = isSOCKS ? [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] : Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        if isFirst, phase == .proxyAnswering {
            try await connection.write(Array(answer.dropLast(2)))
            try await end.happen(to: connection)
            return false
        }
        try await connection.write(answer)
        return true
    }

    private func serveHTTP1(_ connection: ServerConnection, _ isFirst: Bool) async throws {
        while true {
            _ = try await connection.readHead()
            guard isFirst, phase != .idle else {
                try await connection.respond("ok")
                if isFirst { return try await end.happen(to: connection) }
                continue
            }
            switch phase {
            case .head: try await connection.write("HTTP/1.1 200 OK\r\nContent-")
            case .body: try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            case .upload, .stalledUpload: _ = try await connection.readBytes(1)
            case .expectedUpload:
                try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                _ = try await connection.readBytes(1)
            default: break
            }
            return try await leave(connection)
        }
    }

    private func serveHTTP2(_ connection: ServerConnection, _ isFirst: Bool) async throws {
        if isFirst, phase == .settings {
            _ = try await connection.readBytes(24)
            return try await end.happen(to: connection)
        }
        let peer = try await HTTP2Peer.accept(connection)
        // Liveness checks have a limit of their own.
        peer.answersPings = false
        while true {
            let stream = try await peer.readRequest()
            guard isFirst, phase != .idle else {
                try await peer.respond(stream)
                if isFirst { return try await end.happen(to: connection) }
                continue
            }
            switch phase {
            case .head:
                // A header block without its end: another frame should continue it.
                try await peer.write(
                    HTTP2Peer.frame(HTTP2Peer.headers, stream: stream, HTTP2Peer.block([(":status", "200")])))
            case .body:
                try await peer.write(
                    HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, [1], ends: false))
            case .upload, .stalledUpload: _ = try await peer.read(HTTP2Peer.data)
            case .expectedUpload:
                try await peer.write(HTTP2Peer.head(stream, [(":status", "100")]))
                _ = try await peer.read(HTTP2Peer.data)
            default: break
            }
            return try await leave(connection)
        }
    }

    /// Ends the connection. A silent server stops reading, too.
    private func leave(_ connection: ServerConnection) async throws {
        if end == .silence, phase == .upload || phase == .expectedUpload {
            return try await connection.channel.closeFuture.get()
        }
        try await end.happen(to: connection)
    }
}
