import NIOHTTPCompression
import NIOSSL
import NIOPosix
