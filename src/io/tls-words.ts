const UNKNOWN_AUTHORITY =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|CERT_UNTRUSTED|CERT_REJECTED|INVALID_CA|CERT_SIGNATURE_FAILURE)$/;
const OTHER_CERTIFICATE =
  /^(CERT_|CRL_|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT_|UNABLE_TO_(DECRYPT_CERT_SIGNATURE|DECODE_ISSUER_PUBLIC_KEY))/;
const NO_TLS = /wrong.version.number|packet.length.too.long|unknown.protocol|http.request/i;
const NO_COMMON_TLS =
  /handshake.failure|unsupported.protocol|protocol.version|no.protocols.available|no.shared.cipher/i;

/**
 * What is wrong with a TLS connection and what to do, to be put behind the name of a host; null where the error is of
 * another kind. None of it passes by itself.
 */
export function tlsWords(code: string, message: string): string | null {
  if (UNKNOWN_AUTHORITY.test(code)) {
    return `has a certificate from no authority that is known here (${code}): if you trust it, set NODE_EXTRA_CA_CERTS=FILE.pem with the certificate of its authority, or its own if it signed itself`;
  }
  if (code === "CERT_HAS_EXPIRED") {
    return "has a certificate that has expired: it must be renewed there, or the clock of this machine is wrong";
  }
  if (code === "CERT_NOT_YET_VALID") {
    return "has a certificate that is not valid yet: is the clock of this machine right?";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = /altnames: (.+)$/.exec(message)?.[1];
    return `has a certificate for other hosts${names === undefined ? "" : ` (${names})`}: name one of them in the base URL`;
  }
  if (OTHER_CERTIFICATE.test(code)) return `has a certificate that is not accepted (${code})`;
  if (!/^(EPROTO|ERR_SSL_)/.test(code)) return null;
  const told = `${code} ${message}`;
  if (NO_TLS.test(told))
    return "does not answer in TLS: should its address begin with http:// instead of https://?";
  return NO_COMMON_TLS.test(told) ? "agrees on no version of TLS or cipher with this Node" : null;
}
