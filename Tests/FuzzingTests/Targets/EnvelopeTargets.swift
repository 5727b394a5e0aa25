import HttpConvFormats

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// The messages of SAML's enhanced clients, and those of a browser.
let envelopeTargets: [FuzzTarget] = [FuzzTarget("ecp", ecp), FuzzTarget("devtools", devtools)]

/// The envelope of a service provider or of an identity provider.
private func ecp(_ bytes: [UInt8]) throws {
    guard let envelope = try? ECPEnvelope(bytes) else { return }
    let written = envelope.written()
    guard let again = try? ECPEnvelope(written) else { throw BrokenProperty("what is written is an envelope") }
    try require(again.blocks.isEmpty, "the header is left out")
    try require(again.message.isNamed(envelope.message.name, envelope.message.namespace), "the message is the same")
    try requireEqual(again.statusCodes, envelope.statusCodes, "the status is the same")
    try requireEqual(again.explanation, envelope.explanation, "the reason is the same")
    try requireEqual(again.written().text, written.text, "what is written is read back as it is")
    if let request = try? ECPRequest(bytes) {
        let reply = try? ECPEnvelope(envelope.written(header: request.replyBlocks))
        try require(reply?.blocks.count == request.replyBlocks.count, "each block of a reply is one block")
        try require(reply?.blocks.allSatisfy(\.isForUs) ?? false, "the blocks of a reply are for its recipient")
        let state = try envelope.block("RelayState", ECPNames.ecp)
        try requireEqual(
            try reply?.block("RelayState", ECPNames.ecp)?.text, state?.text, "the relay state comes back as it is")
    }
    if let refusal = try? ECPResponse(bytes).refusal(hiding: { $0 }) {
        try require(!refusal.hasControls, "what is shown has no control characters")
    }
}

private func devtools(_ bytes: [UInt8]) throws {
    #if os(Linux)
    let message = try? DevToolsMessage.read(bytes)
    if let number = DevToolsMessage.number(of: bytes), let message {
        try requireEqual(message.id, number, "an answer belongs to one command")
    }
    #endif
}
