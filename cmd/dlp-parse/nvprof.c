/*
 * The dialect of nvprof and the Visual Profiler (*.nvvp, *.nvprof), database
 * versions 8 to 18. Names are mangled and API functions are numbers. Times
 * are absolute; the origin is PyProf's: the earliest start of any call,
 * kernel or marker. A value of the wrong type reads as unset.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "demangle.h"
#include "emit.h"
#include "map.h"
#include "num.h"
#include "profile.h"
#include "schema.h"
#include "sqldb.h"
#include "stage.h"

/*
 * The numbers by which nvprof records API functions (cbid), with their names.
 * The numbers are CUPTI's for compute; those for graphics are left out. Other
 * numbers become runtime_cbid_N and driver_cbid_N.
 */

/* API functions have string ids, too: negative ones, which the file's own table
 * never has. */
enum nvprof_api { NVPROF_RUNTIME, NVPROF_DRIVER };

struct api {
	int cbid;
	const char *name;
};

static const struct api runtime[] = {
	{ 1, "cudaDriverGetVersion_v3020" },
	{ 2, "cudaRuntimeGetVersion_v3020" },
	{ 3, "cudaGetDeviceCount_v3020" },
	{ 4, "cudaGetDeviceProperties_v3020" },
	{ 5, "cudaChooseDevice_v3020" },
	{ 6, "cudaGetChannelDesc_v3020" },
	{ 7, "cudaCreateChannelDesc_v3020" },
	{ 8, "cudaConfigureCall_v3020" },
	{ 9, "cudaSetupArgument_v3020" },
	{ 10, "cudaGetLastError_v3020" },
	{ 11, "cudaPeekAtLastError_v3020" },
	{ 12, "cudaGetErrorString_v3020" },
	{ 13, "cudaLaunch_v3020" },
	{ 14, "cudaFuncSetCacheConfig_v3020" },
	{ 15, "cudaFuncGetAttributes_v3020" },
	{ 16, "cudaSetDevice_v3020" },
	{ 17, "cudaGetDevice_v3020" },
	{ 18, "cudaSetValidDevices_v3020" },
	{ 19, "cudaSetDeviceFlags_v3020" },
	{ 20, "cudaMalloc_v3020" },
	{ 21, "cudaMallocPitch_v3020" },
	{ 22, "cudaFree_v3020" },
	{ 23, "cudaMallocArray_v3020" },
	{ 24, "cudaFreeArray_v3020" },
	{ 25, "cudaMallocHost_v3020" },
	{ 26, "cudaFreeHost_v3020" },
	{ 27, "cudaHostAlloc_v3020" },
	{ 28, "cudaHostGetDevicePointer_v3020" },
	{ 29, "cudaHostGetFlags_v3020" },
	{ 30, "cudaMemGetInfo_v3020" },
	{ 31, "cudaMemcpy_v3020" },
	{ 32, "cudaMemcpy2D_v3020" },
	{ 33, "cudaMemcpyToArray_v3020" },
	{ 34, "cudaMemcpy2DToArray_v3020" },
	{ 35, "cudaMemcpyFromArray_v3020" },
	{ 36, "cudaMemcpy2DFromArray_v3020" },
	{ 37, "cudaMemcpyArrayToArray_v3020" },
	{ 38, "cudaMemcpy2DArrayToArray_v3020" },
	{ 39, "cudaMemcpyToSymbol_v3020" },
	{ 40, "cudaMemcpyFromSymbol_v3020" },
	{ 41, "cudaMemcpyAsync_v3020" },
	{ 42, "cudaMemcpyToArrayAsync_v3020" },
	{ 43, "cudaMemcpyFromArrayAsync_v3020" },
	{ 44, "cudaMemcpy2DAsync_v3020" },
	{ 45, "cudaMemcpy2DToArrayAsync_v3020" },
	{ 46, "cudaMemcpy2DFromArrayAsync_v3020" },
	{ 47, "cudaMemcpyToSymbolAsync_v3020" },
	{ 48, "cudaMemcpyFromSymbolAsync_v3020" },
	{ 49, "cudaMemset_v3020" },
	{ 50, "cudaMemset2D_v3020" },
	{ 51, "cudaMemsetAsync_v3020" },
	{ 52, "cudaMemset2DAsync_v3020" },
	{ 53, "cudaGetSymbolAddress_v3020" },
	{ 54, "cudaGetSymbolSize_v3020" },
	{ 55, "cudaBindTexture_v3020" },
	{ 56, "cudaBindTexture2D_v3020" },
	{ 57, "cudaBindTextureToArray_v3020" },
	{ 58, "cudaUnbindTexture_v3020" },
	{ 72, "cudaGraphicsGLRegisterImage_v3020" },
	{ 73, "cudaGraphicsGLRegisterBuffer_v3020" },
	{ 74, "cudaGraphicsUnregisterResource_v3020" },
	{ 75, "cudaGraphicsResourceSetMapFlags_v3020" },
	{ 76, "cudaGraphicsMapResources_v3020" },
	{ 77, "cudaGraphicsUnmapResources_v3020" },
	{ 78, "cudaGraphicsResourceGetMappedPointer_v3020" },
	{ 79, "cudaGraphicsSubResourceGetMappedArray_v3020" },
	{ 123, "cudaThreadExit_v3020" },
	{ 126, "cudaThreadSynchronize_v3020" },
	{ 127, "cudaThreadGetLimit_v3020" },
	{ 128, "cudaThreadSetLimit_v3020" },
	{ 129, "cudaStreamCreate_v3020" },
	{ 130, "cudaStreamDestroy_v3020" },
	{ 131, "cudaStreamSynchronize_v3020" },
	{ 132, "cudaStreamQuery_v3020" },
	{ 133, "cudaEventCreate_v3020" },
	{ 134, "cudaEventCreateWithFlags_v3020" },
	{ 135, "cudaEventRecord_v3020" },
	{ 136, "cudaEventDestroy_v3020" },
	{ 137, "cudaEventSynchronize_v3020" },
	{ 138, "cudaEventQuery_v3020" },
	{ 139, "cudaEventElapsedTime_v3020" },
	{ 140, "cudaMalloc3D_v3020" },
	{ 141, "cudaMalloc3DArray_v3020" },
	{ 142, "cudaMemset3D_v3020" },
	{ 143, "cudaMemset3DAsync_v3020" },
	{ 144, "cudaMemcpy3D_v3020" },
	{ 145, "cudaMemcpy3DAsync_v3020" },
	{ 146, "cudaThreadSetCacheConfig_v3020" },
	{ 147, "cudaStreamWaitEvent_v3020" },
	{ 150, "cudaThreadGetCacheConfig_v3020" },
	{ 151, "cudaPointerGetAttributes_v4000" },
	{ 152, "cudaHostRegister_v4000" },
	{ 153, "cudaHostUnregister_v4000" },
	{ 154, "cudaDeviceCanAccessPeer_v4000" },
	{ 155, "cudaDeviceEnablePeerAccess_v4000" },
	{ 156, "cudaDeviceDisablePeerAccess_v4000" },
	{ 160, "cudaMemcpyPeer_v4000" },
	{ 161, "cudaMemcpyPeerAsync_v4000" },
	{ 162, "cudaMemcpy3DPeer_v4000" },
	{ 163, "cudaMemcpy3DPeerAsync_v4000" },
	{ 164, "cudaDeviceReset_v3020" },
	{ 165, "cudaDeviceSynchronize_v3020" },
	{ 166, "cudaDeviceGetLimit_v3020" },
	{ 167, "cudaDeviceSetLimit_v3020" },
	{ 168, "cudaDeviceGetCacheConfig_v3020" },
	{ 169, "cudaDeviceSetCacheConfig_v3020" },
	{ 170, "cudaProfilerInitialize_v4000" },
	{ 171, "cudaProfilerStart_v4000" },
	{ 172, "cudaProfilerStop_v4000" },
	{ 173, "cudaDeviceGetByPCIBusId_v4010" },
	{ 174, "cudaDeviceGetPCIBusId_v4010" },
	{ 175, "cudaGLGetDevices_v4010" },
	{ 176, "cudaIpcGetEventHandle_v4010" },
	{ 177, "cudaIpcOpenEventHandle_v4010" },
	{ 178, "cudaIpcGetMemHandle_v4010" },
	{ 179, "cudaIpcOpenMemHandle_v4010" },
	{ 180, "cudaIpcCloseMemHandle_v4010" },
	{ 181, "cudaArrayGetInfo_v4010" },
	{ 182, "cudaFuncSetSharedMemConfig_v4020" },
	{ 183, "cudaDeviceGetSharedMemConfig_v4020" },
	{ 184, "cudaDeviceSetSharedMemConfig_v4020" },
	{ 185, "cudaCreateTextureObject_v5000" },
	{ 186, "cudaDestroyTextureObject_v5000" },
	{ 187, "cudaGetTextureObjectResourceDesc_v5000" },
	{ 188, "cudaGetTextureObjectTextureDesc_v5000" },
	{ 189, "cudaCreateSurfaceObject_v5000" },
	{ 190, "cudaDestroySurfaceObject_v5000" },
	{ 191, "cudaGetSurfaceObjectResourceDesc_v5000" },
	{ 192, "cudaMallocMipmappedArray_v5000" },
	{ 193, "cudaGetMipmappedArrayLevel_v5000" },
	{ 194, "cudaFreeMipmappedArray_v5000" },
	{ 195, "cudaBindTextureToMipmappedArray_v5000" },
	{ 196, "cudaGraphicsResourceGetMappedMipmappedArray_v5000" },
	{ 197, "cudaStreamAddCallback_v5000" },
	{ 198, "cudaStreamCreateWithFlags_v5000" },
	{ 199, "cudaGetTextureObjectResourceViewDesc_v5000" },
	{ 200, "cudaDeviceGetAttribute_v5000" },
	{ 201, "cudaStreamDestroy_v5050" },
	{ 202, "cudaStreamCreateWithPriority_v5050" },
	{ 203, "cudaStreamGetPriority_v5050" },
	{ 204, "cudaStreamGetFlags_v5050" },
	{ 205, "cudaDeviceGetStreamPriorityRange_v5050" },
	{ 206, "cudaMallocManaged_v6000" },
	{ 207, "cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6000" },
	{ 208, "cudaStreamAttachMemAsync_v6000" },
	{ 209, "cudaGetErrorName_v6050" },
	{ 210, "cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050" },
	{ 211, "cudaLaunchKernel_v7000" },
	{ 212, "cudaGetDeviceFlags_v7000" },
	{ 213, "cudaLaunch_ptsz_v7000" },
	{ 214, "cudaLaunchKernel_ptsz_v7000" },
	{ 215, "cudaMemcpy_ptds_v7000" },
	{ 216, "cudaMemcpy2D_ptds_v7000" },
	{ 225, "cudaMemcpyAsync_ptsz_v7000" },
	{ 228, "cudaMemcpy2DAsync_ptsz_v7000" },
	{ 233, "cudaMemset_ptds_v7000" },
	{ 234, "cudaMemset2D_ptds_v7000" },
	{ 235, "cudaMemsetAsync_ptsz_v7000" },
	{ 236, "cudaMemset2DAsync_ptsz_v7000" },
	{ 237, "cudaStreamGetPriority_ptsz_v7000" },
	{ 238, "cudaStreamGetFlags_ptsz_v7000" },
	{ 239, "cudaStreamSynchronize_ptsz_v7000" },
	{ 240, "cudaStreamQuery_ptsz_v7000" },
	{ 241, "cudaStreamAttachMemAsync_ptsz_v7000" },
	{ 242, "cudaEventRecord_ptsz_v7000" },
	{ 243, "cudaMemset3D_ptds_v7000" },
	{ 244, "cudaMemset3DAsync_ptsz_v7000" },
	{ 245, "cudaMemcpy3D_ptds_v7000" },
	{ 246, "cudaMemcpy3DAsync_ptsz_v7000" },
	{ 247, "cudaStreamWaitEvent_ptsz_v7000" },
	{ 248, "cudaStreamAddCallback_ptsz_v7000" },
	{ 249, "cudaMemcpy3DPeer_ptds_v7000" },
	{ 250, "cudaMemcpy3DPeerAsync_ptsz_v7000" },
	{ 251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000" },
	{ 252, "cudaMemPrefetchAsync_v8000" },
	{ 253, "cudaMemPrefetchAsync_ptsz_v8000" },
	{ 254, "cudaMemAdvise_v8000" },
	{ 255, "cudaDeviceGetP2PAttribute_v8000" },
	{ 266, "cudaMemRangeGetAttribute_v8000" },
	{ 267, "cudaMemRangeGetAttributes_v8000" },
	{ 269, "cudaLaunchCooperativeKernel_v9000" },
	{ 270, "cudaLaunchCooperativeKernel_ptsz_v9000" },
	{ 272, "cudaLaunchCooperativeKernelMultiDevice_v9000" },
	{ 273, "cudaFuncSetAttribute_v9000" },
	{ 284, "cudaLaunchHostFunc_v10000" },
	{ 285, "cudaLaunchHostFunc_ptsz_v10000" },
	{ 310, "cudaGraphInstantiate_v10000" },
	{ 311, "cudaGraphLaunch_v10000" },
	{ 312, "cudaGraphLaunch_ptsz_v10000" },
	{ 317, "cudaStreamIsCapturing_v10000" },
	{ 335, "cudaGraphExecUpdate_v10020" },
	{ 348, "cudaGraphUpload_v10000" },
	{ 349, "cudaGraphUpload_ptsz_v10000" },
	{ 418, "cudaGraphInstantiateWithFlags_v11040" },
	{ 430, "cudaLaunchKernelExC_v11060" },
	{ 431, "cudaLaunchKernelExC_ptsz_v11060" },
	{ 436, "cudaGraphInstantiateWithParams_v12000" },
	{ 482, "cudaMemcpyBatchAsync_v12080" },
	{ 483, "cudaMemcpyBatchAsync_ptsz_v12080" },
};

static const struct api driver[] = {
	{ 1, "cuInit" },
	{ 2, "cuDriverGetVersion" },
	{ 3, "cuDeviceGet" },
	{ 4, "cuDeviceGetCount" },
	{ 5, "cuDeviceGetName" },
	{ 6, "cuDeviceComputeCapability" },
	{ 7, "cuDeviceTotalMem" },
	{ 8, "cuDeviceGetProperties" },
	{ 9, "cuDeviceGetAttribute" },
	{ 10, "cuCtxCreate" },
	{ 11, "cuCtxDestroy" },
	{ 12, "cuCtxAttach" },
	{ 13, "cuCtxDetach" },
	{ 14, "cuCtxPushCurrent" },
	{ 15, "cuCtxPopCurrent" },
	{ 16, "cuCtxGetDevice" },
	{ 17, "cuCtxSynchronize" },
	{ 18, "cuModuleLoad" },
	{ 19, "cuModuleLoadData" },
	{ 20, "cuModuleLoadDataEx" },
	{ 21, "cuModuleLoadFatBinary" },
	{ 22, "cuModuleUnload" },
	{ 23, "cuModuleGetFunction" },
	{ 37, "cuMemAllocHost" },
	{ 38, "cuMemFreeHost" },
	{ 39, "cuMemHostAlloc" },
	{ 85, "cuFuncGetAttribute" },
	{ 86, "cuFuncSetCacheConfig" },
	{ 115, "cuLaunch" },
	{ 116, "cuLaunchGrid" },
	{ 117, "cuLaunchGridAsync" },
	{ 118, "cuEventCreate" },
	{ 119, "cuEventRecord" },
	{ 120, "cuEventQuery" },
	{ 121, "cuEventSynchronize" },
	{ 122, "cuEventDestroy" },
	{ 123, "cuEventElapsedTime" },
	{ 124, "cuStreamCreate" },
	{ 125, "cuStreamQuery" },
	{ 126, "cuStreamSynchronize" },
	{ 127, "cuStreamDestroy" },
	{ 133, "cuGraphicsMapResources" },
	{ 134, "cuGraphicsUnmapResources" },
	{ 135, "cuGetExportTable" },
	{ 136, "cuCtxSetLimit" },
	{ 137, "cuCtxGetLimit" },
	{ 216, "cuMemsetD8Async" },
	{ 218, "cuMemsetD16Async" },
	{ 220, "cuMemsetD32Async" },
	{ 222, "cuMemsetD2D8Async" },
	{ 224, "cuMemsetD2D16Async" },
	{ 226, "cuMemsetD2D32Async" },
	{ 235, "cuCtxCreate_v2" },
	{ 241, "cuModuleGetGlobal_v2" },
	{ 242, "cuMemGetInfo_v2" },
	{ 243, "cuMemAlloc_v2" },
	{ 244, "cuMemAllocPitch_v2" },
	{ 245, "cuMemFree_v2" },
	{ 246, "cuMemGetAddressRange_v2" },
	{ 247, "cuMemHostGetDevicePointer_v2" },
	{ 248, "cuMemcpy_v2" },
	{ 249, "cuMemsetD8_v2" },
	{ 250, "cuMemsetD16_v2" },
	{ 251, "cuMemsetD32_v2" },
	{ 252, "cuMemsetD2D8_v2" },
	{ 253, "cuMemsetD2D16_v2" },
	{ 254, "cuMemsetD2D32_v2" },
	{ 259, "cuDeviceTotalMem_v2" },
	{ 271, "cuMemHostAlloc_v2" },
	{ 272, "cuArrayCreate_v2" },
	{ 273, "cuArrayGetDescriptor_v2" },
	{ 274, "cuArray3DCreate_v2" },
	{ 275, "cuArray3DGetDescriptor_v2" },
	{ 276, "cuMemcpyHtoD_v2" },
	{ 277, "cuMemcpyHtoDAsync_v2" },
	{ 278, "cuMemcpyDtoH_v2" },
	{ 279, "cuMemcpyDtoHAsync_v2" },
	{ 280, "cuMemcpyDtoD_v2" },
	{ 281, "cuMemcpyDtoDAsync_v2" },
	{ 282, "cuMemcpyAtoH_v2" },
	{ 283, "cuMemcpyAtoHAsync_v2" },
	{ 284, "cuMemcpyAtoD_v2" },
	{ 285, "cuMemcpyDtoA_v2" },
	{ 286, "cuMemcpyAtoA_v2" },
	{ 287, "cuMemcpy2D_v2" },
	{ 288, "cuMemcpy2DUnaligned_v2" },
	{ 289, "cuMemcpy2DAsync_v2" },
	{ 290, "cuMemcpy3D_v2" },
	{ 291, "cuMemcpy3DAsync_v2" },
	{ 292, "cuMemcpyHtoA_v2" },
	{ 293, "cuMemcpyHtoAAsync_v2" },
	{ 294, "cuMemAllocHost_v2" },
	{ 295, "cuStreamWaitEvent" },
	{ 300, "cuCtxSetCacheConfig" },
	{ 301, "cuMemHostRegister" },
	{ 302, "cuMemHostUnregister" },
	{ 303, "cuCtxSetCurrent" },
	{ 304, "cuCtxGetCurrent" },
	{ 305, "cuMemcpy" },
	{ 306, "cuMemcpyAsync" },
	{ 307, "cuLaunchKernel" },
	{ 308, "cuProfilerStart" },
	{ 309, "cuProfilerStop" },
	{ 310, "cuPointerGetAttribute" },
	{ 311, "cuProfilerInitialize" },
	{ 312, "cuDeviceCanAccessPeer" },
	{ 313, "cuCtxEnablePeerAccess" },
	{ 314, "cuCtxDisablePeerAccess" },
	{ 318, "cuMemcpyPeer" },
	{ 319, "cuMemcpyPeerAsync" },
	{ 320, "cuMemcpy3DPeer" },
	{ 321, "cuMemcpy3DPeerAsync" },
	{ 322, "cuCtxDestroy_v2" },
	{ 323, "cuCtxPushCurrent_v2" },
	{ 324, "cuCtxPopCurrent_v2" },
	{ 325, "cuEventDestroy_v2" },
	{ 326, "cuStreamDestroy_v2" },
	{ 328, "cuIpcGetMemHandle" },
	{ 329, "cuIpcOpenMemHandle" },
	{ 330, "cuIpcCloseMemHandle" },
	{ 331, "cuDeviceGetByPCIBusId" },
	{ 332, "cuDeviceGetPCIBusId" },
	{ 346, "cuStreamAddCallback" },
	{ 362, "cuLinkCreate" },
	{ 363, "cuLinkAddData" },
	{ 364, "cuLinkAddFile" },
	{ 365, "cuLinkComplete" },
	{ 366, "cuLinkDestroy" },
	{ 367, "cuStreamCreateWithPriority" },
	{ 368, "cuStreamGetPriority" },
	{ 369, "cuStreamGetFlags" },
	{ 370, "cuCtxGetStreamPriorityRange" },
	{ 371, "cuMemAllocManaged" },
	{ 374, "cuOccupancyMaxActiveBlocksPerMultiprocessor" },
	{ 377, "cuStreamAttachMemAsync" },
	{ 378, "cuPointerSetAttribute" },
	{ 379, "cuMemHostRegister_v2" },
	{ 381, "cuLinkCreate_v2" },
	{ 382, "cuLinkAddData_v2" },
	{ 383, "cuLinkAddFile_v2" },
	{ 384, "cuOccupancyMaxPotentialBlockSize" },
	{ 386, "cuDevicePrimaryCtxRetain" },
	{ 387, "cuDevicePrimaryCtxRelease" },
	{ 388, "cuDevicePrimaryCtxSetFlags" },
	{ 389, "cuDevicePrimaryCtxReset" },
	{ 391, "cuCtxGetFlags" },
	{ 392, "cuDevicePrimaryCtxGetState" },
	{ 397, "cuMemcpyHtoD_v2_ptds" },
	{ 398, "cuMemcpyDtoH_v2_ptds" },
	{ 399, "cuMemcpyDtoD_v2_ptds" },
	{ 408, "cuMemcpy_ptds" },
	{ 418, "cuMemcpyAsync_ptsz" },
	{ 421, "cuMemcpyHtoDAsync_v2_ptsz" },
	{ 422, "cuMemcpyDtoHAsync_v2_ptsz" },
	{ 423, "cuMemcpyDtoDAsync_v2_ptsz" },
	{ 428, "cuMemsetD8Async_ptsz" },
	{ 430, "cuMemsetD32Async_ptsz" },
	{ 436, "cuStreamWaitEvent_ptsz" },
	{ 439, "cuStreamQuery_ptsz" },
	{ 440, "cuStreamSynchronize_ptsz" },
	{ 441, "cuEventRecord_ptsz" },
	{ 442, "cuLaunchKernel_ptsz" },
	{ 450, "cuPointerGetAttributes" },
	{ 451, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags" },
	{ 452, "cuOccupancyMaxPotentialBlockSizeWithFlags" },
	{ 454, "cuDeviceGetP2PAttribute" },
	{ 457, "cuMemAdvise" },
	{ 462, "cuStreamBatchMemOp" },
	{ 467, "cuMemPrefetchAsync" },
	{ 468, "cuMemPrefetchAsync_ptsz" },
	{ 471, "cuMemRangeGetAttribute" },
	{ 472, "cuMemRangeGetAttributes" },
	{ 477, "cuLaunchCooperativeKernel" },
	{ 478, "cuLaunchCooperativeKernel_ptsz" },
	{ 480, "cuLaunchCooperativeKernelMultiDevice" },
	{ 481, "cuFuncSetAttribute" },
	{ 482, "cuDeviceGetUuid" },
	{ 483, "cuStreamGetCtx" },
	{ 484, "cuStreamGetCtx_ptsz" },
	{ 495, "cuStreamBeginCapture" },
	{ 497, "cuStreamEndCapture" },
	{ 499, "cuStreamIsCapturing" },
	{ 501, "cuGraphCreate" },
	{ 513, "cuGraphInstantiate" },
	{ 514, "cuGraphLaunch" },
	{ 515, "cuGraphLaunch_ptsz" },
	{ 516, "cuGraphExecDestroy" },
	{ 517, "cuGraphDestroy" },
	{ 527, "cuLaunchHostFunc" },
	{ 528, "cuLaunchHostFunc_ptsz" },
	{ 532, "cuDeviceGetLuid" },
	{ 539, "cuStreamBeginCapture_v2" },
	{ 541, "cuThreadExchangeStreamCaptureMode" },
	{ 544, "cuDevicePrimaryCtxRelease_v2" },
	{ 545, "cuDevicePrimaryCtxReset_v2" },
	{ 546, "cuDevicePrimaryCtxSetFlags_v2" },
	{ 547, "cuMemAddressReserve" },
	{ 548, "cuMemAddressFree" },
	{ 549, "cuMemCreate" },
	{ 550, "cuMemRelease" },
	{ 551, "cuMemMap" },
	{ 552, "cuMemUnmap" },
	{ 553, "cuMemSetAccess" },
	{ 554, "cuMemExportToShareableHandle" },
	{ 555, "cuMemImportFromShareableHandle" },
	{ 556, "cuMemGetAllocationGranularity" },
	{ 561, "cuGraphExecUpdate" },
	{ 565, "cuMemRetainAllocationHandle" },
	{ 566, "cuFuncGetModule" },
	{ 567, "cuIpcOpenMemHandle_v2" },
	{ 580, "cuGraphUpload" },
	{ 581, "cuGraphUpload_ptsz" },
	{ 587, "cuEventRecordWithFlags" },
	{ 588, "cuEventRecordWithFlags_ptsz" },
	{ 598, "cuMemAllocAsync" },
	{ 599, "cuMemAllocAsync_ptsz" },
	{ 600, "cuMemFreeAsync" },
	{ 601, "cuMemFreeAsync_ptsz" },
	{ 611, "cuMemAllocFromPoolAsync" },
	{ 612, "cuMemAllocFromPoolAsync_ptsz" },
	{ 626, "cuGetProcAddress" },
	{ 627, "cuFlushGPUDirectRDMAWrites" },
	{ 643, "cuGraphInstantiateWithFlags" },
	{ 645, "cuCtxCreate_v3" },
	{ 647, "cuDeviceGetUuid_v2" },
	{ 652, "cuLaunchKernelEx" },
	{ 653, "cuLaunchKernelEx_ptsz" },
	{ 656, "cuGraphInstantiateWithParams" },
	{ 686, "cuKernelGetAttribute" },
	{ 776, "cuMemcpyBatchAsync" },
	{ 777, "cuMemcpyBatchAsync_ptsz" },
	{ 778, "cuMemcpyBatch3DAsync" },
	{ 779, "cuMemcpyBatch3DAsync_ptsz" },
};

/* Ids are -1 - (api << 32 | cbid). */
static int64_t
nvprof_api_id(enum nvprof_api api, int64_t cbid)
{
	return -1 - ((int64_t)api << 32 | (cbid & 0xffffffff));
}

static int
by_cbid(const void *a, const void *b)
{
	const struct api *x = a, *y = b;

	return (x->cbid > y->cbid) - (x->cbid < y->cbid);
}

/* Appends the function's name, or runtime_cbid_N if the number is unknown. */
static void
nvprof_api_name(int64_t id, struct buf *out)
{
	int64_t v = -1 - id, cbid = v & 0xffffffff;
	bool is_driver = v >> 32 == NVPROF_DRIVER;
	struct api key = { (int)cbid, NULL };
	const struct api *a;

	if (is_driver)
		a = bsearch(&key, driver, sizeof(driver) / sizeof(driver[0]),
		    sizeof(driver[0]), by_cbid);
	else
		a = bsearch(&key, runtime, sizeof(runtime) / sizeof(runtime[0]),
		    sizeof(runtime[0]), by_cbid);
	if (a != NULL) {
		buf_puts(out, a->name);
	} else {
		buf_puts(out, is_driver ? "driver_cbid_" : "runtime_cbid_");
		buf_i64(out, cbid);
	}
}

/* The database. */

#define NVPROF_TABLE(name) "CUPTI_ACTIVITY_KIND_" name

/* The i-th text of a table; NULL if the table is shorter. */
#define NVPROF_PICK(table, i)                                                  \
	((i) >= 0 && (i) < (int64_t)ARRAY_LEN(table) ? (table)[i] : NULL)

struct nvprof {
	struct profile *prof;
	sqlite3 *db;
	sqlite3_stmt *string; /* StringTable by id */
	int64_t t0;           /* earliest time in the file: the origin */
	struct map context;   /* contextId -> deviceId */
	struct map domain;    /* name id -> number in domains, from 1 */
	char **domains;
	size_t n_domains, cap_domains;
	bool has_timeline; /* the kernels of a second run are left out */
	uint64_t untimed;  /* rows whose times were not recorded */
};

/* The kind of object that a marker or an overhead belongs to. */
enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };

/*
 * nvprof's tables with events.
 *
 * API calls, overhead and allocations: threads are pthread handles cut to 32
 * bits, shown unsigned, as PyProf does.
 *
 * GPU work: it has neither a process id nor a thread; both come from the call
 * with its correlation id.
 *
 * Markers, NVTX ranges and marks: a range is two rows, its start and its end,
 * with nothing in common but an id.
 */

static const char *const overheads[] = { "driver compiler",
	"CUPTI buffer flush", "CUPTI instrumentation", "CUPTI resource" };

static const char *const call_cols[] = { "start", "end", "correlationId",
	"cbid", "processId", "threadId", "returnValue", NULL };

/* A string of the file, or the name of an API function; see dialect.string. */
static bool
nvprof_string(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	const void *s;
	bool has = false;

	if (id < 0) {
		nvprof_api_name(id, out);
		return true;
	}
	if (nv->string == NULL)
		return false;
	sqlite3_bind_int64(nv->string, 1, id);
	if (db_step(nv->string) &&
	    (s = sqlite3_column_text(nv->string, 0)) != NULL) {
		buf_put(out, s, (size_t)sqlite3_column_bytes(nv->string, 0));
		has = true;
	}
	sqlite3_reset(nv->string);
	return has;
}

/* The text of an NVTX domain, "" for the default domain; lives as long as
 * nv. */
static const char *
nvprof_domain(struct nvprof *nv, int64_t name_id)
{
	struct buf b = { NULL, 0, 0 };
	uint64_t *no;
	bool is_new;

	if (name_id <= 0)
		return "";
	no = map_put(&nv->domain, (uint64_t)name_id, &is_new);
	if (is_new) {
		if (!nvprof_string(nv, name_id, &b))
			buf_i64(&b, name_id);
		ARRAY_GROW(nv->domains, nv->n_domains, nv->cap_domains);
		nv->domains[nv->n_domains++] = xstrdup(buf_str(&b));
		*no = nv->n_domains;
		buf_free(&b);
	}
	return nv->domains[*no - 1];
}

/* A value as an integer; EV_UNSET if it has another type. */
static int64_t
nvprof_num(sqlite3_value *v)
{
	if (sqlite3_value_type(v) != SQLITE_INTEGER)
		return EV_UNSET;
	return sqlite3_value_int64(v);
}

/* A string's id. Negative ids are not the file's: see nvprof_api_id(). */
static int64_t
nvprof_name(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n < 0 ? EV_UNSET : n;
}

/* Sets start and end from two columns, col[0..1]; false for a damaged row,
 * which is counted. */
static bool
nvprof_times(struct nvprof *nv, const struct ev_source *s, sqlite3_value **col,
    struct event *ev)
{
	int64_t start = nvprof_num(col[0]), end = nvprof_num(col[1]);

	if (start == EV_UNSET) {
		source_bad_row(s);
		return false;
	}
	/* CUPTI writes 0 for a time that it could not record */
	if (start == 0) {
		nv->untimed++;
		ev->start = 0;
		ev->end = end == 0 ? 0 : EV_UNSET;
		return true;
	}
	ev->start = num_sub(start, nv->t0);
	if (end != EV_UNSET)
		ev->end = num_sub(end, nv->t0);
	return true;
}

static int64_t
le32(const unsigned char *s)
{
	return (int64_t)s[0] | (int64_t)s[1] << 8 | (int64_t)s[2] << 16 |
	       (int64_t)s[3] << 24;
}

/* The process and thread of the object of this kind and id. A member that the
 * object does not name keeps its value. */
static void
nvprof_object(
    sqlite3_value *kind, sqlite3_value *id, int64_t *pid, int64_t *tid)
{
	const unsigned char *s;
	int64_t k = nvprof_num(kind);

	if (sqlite3_value_type(id) != SQLITE_BLOB ||
	    sqlite3_value_bytes(id) < 8 ||
	    (k != OBJECT_PROCESS && k != OBJECT_THREAD))
		return;
	s = sqlite3_value_blob(id);
	*pid = le32(s);
	if (k == OBJECT_THREAD)
		*tid = le32(s + 4);
}

/* Nsight's exports have numbers lower by one. */
static const char *
nvprof_mem_kind(int64_t kind)
{
	static const char *const mem_kinds[] = { NULL, "pageable", "pinned",
		"device", "array", "managed", "device-static",
		"managed-static" };

	return NVPROF_PICK(mem_kinds, kind);
}

/* A source over a table with these columns (NULL at the end); NULL if the file
 * does not have the table or its start column. */
static struct ev_source *
nvprof_source(struct nvprof *nv, enum ev_kind kind, const char *table,
    row_fn *row, const char *const *cols)
{
	struct ev_source *s;

	if (!db_has_table(nv->db, table) ||
	    !source_needs(&nv->prof->sources, nv->db, kind, table, "start"))
		return NULL;
	s = source_add(&nv->prof->sources, kind, table, row);
	s->from = xstrdup(table);
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("start");
	s->end = db_col(nv->db, table, "end");
	return s;
}

static bool
call_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t cbid = nvprof_num(col[4]), tid = nvprof_num(col[6]);

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	ev->corr = nvprof_num(col[3]);
	if (cbid != EV_UNSET)
		ev->name = nvprof_api_id(s->tag, cbid);
	ev->pid = nvprof_num(col[5]);
	if (tid != EV_UNSET)
		ev->tid = tid & 0xffffffff;
	ev->call.ret = nvprof_num(col[7]);
	/* A correlation id in both tables is the same call, recorded twice. */
	ev->call.twin = s->tag == NVPROF_DRIVER;
	return true;
}

static const char *const over_cols[] = { "start", "end", "overheadKind",
	"objectKind", "objectId", NULL };

static bool
over_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind = nvprof_num(col[3]);

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	/* 1, then 1 to 3 in the upper half */
	kind = kind == 1 ? 0 : kind > 0 && kind % 65536 == 0 ? kind >> 16 : -1;
	ev->text = NVPROF_PICK(overheads, kind);
	if (ev->text != NULL)
		ev->text_len = (uint32_t)strlen(ev->text);
	nvprof_object(col[4], col[5], &ev->pid, &ev->tid);
	return true;
}

static const char *const mem_cols[] = { "start", "end", "processId", "deviceId",
	"bytes", "address", "memoryKind", NULL };

static bool
mem_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	bool is_free = s->tag != 0;
	int64_t kind;

	if (!nvprof_times(ctx, s, col + 1, ev))
		return false;
	ev->pid = nvprof_num(col[3]);
	ev->mem.dev = nvprof_num(col[4]);
	ev->mem.bytes = nvprof_num(col[5]);
	ev->mem.addr = nvprof_num(col[6]);
	kind = nvprof_num(col[7]);
	ev->mem.kind = nvprof_mem_kind(kind);
	ev->mem.op = is_free ? "free" : "alloc";
	return true;
}

static void
add_calls(struct nvprof *nv, const char *table, enum nvprof_api api)
{
	struct ev_source *s;

	s = nvprof_source(nv, EV_CALL, table, call_row, call_cols);
	if (s == NULL)
		return;
	s->tag = api;
	s->corr = db_col(nv->db, table, "correlationId");
	s->gid = db_col(nv->db, table, "processId");
	if (api == NVPROF_DRIVER)
		s->twin = xstrdup("1");
	s->twin_is = 1;
}

/* Allocations have the time of their release in the same row. */
static void
add_releases(struct nvprof *nv)
{
	static const char *const cols[] = { "end", "end", "processId",
		"deviceId", "bytes", "address", "memoryKind", NULL };
	static const char table[] = NVPROF_TABLE("MEMORY");
	struct ev_source *s;

	if (!db_has_table(nv->db, table) ||
	    !db_has_column(nv->db, table, "end"))
		return;
	s = source_add(&nv->prof->sources, EV_MEM, table, mem_row);
	s->tag = 1;
	s->from = xstrdup(table);
	s->where = xstrdup("end > 0");
	s->cols = db_cols(nv->db, table, cols);
	s->start = xstrdup("end");
}

static void
add_cpu(struct nvprof *nv)
{
	add_calls(nv, NVPROF_TABLE("RUNTIME"), NVPROF_RUNTIME);
	add_calls(nv, NVPROF_TABLE("DRIVER"), NVPROF_DRIVER);
	nvprof_source(
	    nv, EV_OVER, NVPROF_TABLE("OVERHEAD"), over_row, over_cols);
	nvprof_source(nv, EV_MEM, NVPROF_TABLE("MEMORY"), mem_row, mem_cols);
	add_releases(nv);
}

static const char *const copy_kinds[] = { NULL, "HtoD", "DtoH", "HtoA", "AtoH",
	"AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP" };
static const char *const sync_kinds[] = { NULL, "event", "stream-wait-event",
	"stream", "context" };

/* Ids of 32 bits, stored signed; all bits set means none. */
static int64_t
id32(sqlite3_value *v)
{
	int64_t n = nvprof_num(v);

	return n == -1 || n == UINT32_MAX ? EV_UNSET : n;
}

static bool
gpu_work(struct nvprof *nv, const struct ev_source *s, sqlite3_value **col,
    struct event *ev)
{
	if (!nvprof_times(nv, s, col + 1, ev))
		return false;
	ev->corr = nvprof_num(col[3]);
	ev->gpu.dev = nvprof_num(col[4]);
	ev->gpu.ctx = id32(col[5]);
	ev->gpu.stream = id32(col[6]);
	ev->gpu.node = nvprof_num(col[7]);
	if (ev->gpu.node == 0)
		ev->gpu.node = EV_UNSET;
	return true;
}

#define GPU_COLS                                                               \
	"start", "end", "correlationId", "deviceId", "contextId", "streamId",  \
	    "graphNodeId"
#define GPU_NEXT 8 /* the first column after them */

static const char *const kernel_cols[] = { GPU_COLS, "name", "gridX", "gridY",
	"gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
	"staticSharedMemory", "dynamicSharedMemory", NULL };

static bool
kernel_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int i, c = GPU_NEXT;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	ev->name = nvprof_name(col[c++]);
	ev->gpu.kern.short_name = EV_UNSET;
	ev->gpu.kern.mangled = EV_UNSET;
	for (i = 0; i < 3; i++)
		ev->gpu.kern.grid[i] = nvprof_num(col[c++]);
	for (i = 0; i < 3; i++)
		ev->gpu.kern.block[i] = nvprof_num(col[c++]);
	ev->gpu.kern.regs = nvprof_num(col[c++]);
	ev->gpu.kern.smem = nvprof_num(col[c++]);
	ev->gpu.kern.dynsmem = nvprof_num(col[c]);
	return true;
}

static const char *const copy_cols[] = { GPU_COLS, "copyKind", "bytes",
	"srcKind", "dstKind", NULL };

static bool
copy_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind, src, dst;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	kind = nvprof_num(col[GPU_NEXT]);
	src = nvprof_num(col[GPU_NEXT + 2]);
	dst = nvprof_num(col[GPU_NEXT + 3]);
	ev->gpu.copy.kind = NVPROF_PICK(copy_kinds, kind);
	ev->gpu.copy.bytes = nvprof_num(col[GPU_NEXT + 1]);
	ev->gpu.copy.src_mem = nvprof_mem_kind(src);
	ev->gpu.copy.dst_mem = nvprof_mem_kind(dst);
	return true;
}

static const char *const set_cols[] = { GPU_COLS, "bytes", "value",
	"memoryKind", NULL };

static bool
set_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	int64_t kind;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	kind = nvprof_num(col[GPU_NEXT + 2]);
	ev->gpu.set.bytes = nvprof_num(col[GPU_NEXT]);
	ev->gpu.set.value = nvprof_num(col[GPU_NEXT + 1]);
	ev->gpu.set.mem = nvprof_mem_kind(kind);
	return true;
}

static const char *const sync_cols[] = { GPU_COLS, "type", "cudaEventId",
	NULL };

static bool
sync_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	const struct nvprof *nv = ctx;
	const uint64_t *dev;
	int64_t kind;

	if (!gpu_work(ctx, s, col, ev))
		return false;
	/* Only the context identifies the device. */
	dev = map_get(&nv->context, (uint64_t)ev->gpu.ctx);
	ev->gpu.dev = dev != NULL ? (int64_t)*dev : EV_UNSET;
	kind = nvprof_num(col[GPU_NEXT]);
	ev->gpu.sync.kind = NVPROF_PICK(sync_kinds, kind);
	ev->gpu.sync.event = id32(col[GPU_NEXT + 1]);
	return true;
}

static const char *const graph_cols[] = { GPU_COLS, "graphId", NULL };

static bool
graph_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	if (!gpu_work(ctx, s, col, ev))
		return false;
	ev->gpu.graph.graph = nvprof_num(col[GPU_NEXT]);
	ev->gpu.graph.exec = EV_UNSET;
	return true;
}

/*
 * Kernels are in one of two tables, which depends on how they were recorded. A
 * session of the Visual Profiler can have both: a timeline, and the same run
 * again for metrics. Then only the timeline is read.
 */
static bool
is_second_run(struct nvprof *nv, const char *table)
{
	sqlite3_stmt *st;
	bool has;

	if (strcmp(table, NVPROF_TABLE("KERNEL")) != 0 ||
	    !db_has_table(nv->db, NVPROF_TABLE("CONCURRENT_KERNEL")))
		return false;
	st = db_prepare(nv->db, "SELECT 1 FROM %s LIMIT 1",
	    NVPROF_TABLE("CONCURRENT_KERNEL"));
	has = db_step(st);
	sqlite3_finalize(st);
	nv->has_timeline = has;
	return has;
}

static const struct {
	const char *table;
	row_fn *row;
	const char *const *cols;
	enum ev_kind kind;
} tables[] = {
	{ NVPROF_TABLE("CONCURRENT_KERNEL"), kernel_row, kernel_cols, EV_KERN },
	/* Kernels one by one: nvprof --metrics, --analysis-metrics */
	{ NVPROF_TABLE("KERNEL"), kernel_row, kernel_cols, EV_KERN },
	{ NVPROF_TABLE("MEMCPY"), copy_row, copy_cols, EV_COPY },
	{ NVPROF_TABLE("MEMCPY2"), copy_row, copy_cols, EV_COPY },
	{ NVPROF_TABLE("MEMSET"), set_row, set_cols, EV_SET },
	{ NVPROF_TABLE("SYNCHRONIZATION"), sync_row, sync_cols, EV_SYNC },
	{ NVPROF_TABLE("GRAPH_TRACE"), graph_row, graph_cols, EV_GRAPH },
};

static void
add_gpu(struct nvprof *nv)
{
	struct ev_source *s;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		if (db_has_column(nv->db, tables[i].table, "start") &&
		    is_second_run(nv, tables[i].table))
			continue;
		s = nvprof_source(nv, tables[i].kind, tables[i].table,
		    tables[i].row, tables[i].cols);
		if (s != NULL)
			s->corr =
			    db_col(nv->db, tables[i].table, "correlationId");
	}
}

/* A marker's flags. */
enum { MARK_INSTANT = 1, MARK_START = 2, MARK_END = 4 };

/* Start and end times, kind and id of the object, the end's kind and id,
 * name, domain. */
static bool
range_row(
    void *ctx, const struct ev_source *s, sqlite3_value **col, struct event *ev)
{
	struct nvprof *nv = ctx;
	int64_t pid = EV_UNSET, tid = EV_UNSET;

	if (!nvprof_times(nv, s, col + 1, ev))
		return false;
	nvprof_object(col[3], col[4], &ev->pid, &ev->tid);
	nvprof_object(col[5], col[6], &pid, &tid);
	ev->range.end_tid = tid != ev->tid ? tid : EV_UNSET;
	ev->range.push = nvprof_num(col[3]) == OBJECT_THREAD;
	ev->name = nvprof_name(col[7]);
	ev->range.domain = nvprof_domain(nv, nvprof_num(col[8]));
	return true;
}

/*
 * The end of a range comes later in the table than its start. The ends go into
 * a temporary table (SQLite's own, on disk if large), so that a range is
 * complete when it starts. If an id is used again, a range ends at the next end
 * after its start. The columns' types matter: without them the join would not
 * use the key.
 */
static void
make_ends(struct nvprof *nv, const char *table)
{
	char *s;

	s = sqlite3_mprintf(
	    "CREATE TEMP TABLE dlp_ends (id INT, timestamp INT, kind, object,"
	    " PRIMARY KEY (id, timestamp)) WITHOUT ROWID;"
	    "INSERT OR IGNORE INTO dlp_ends"
	    " SELECT id, timestamp, objectKind, objectId FROM %s"
	    " WHERE flags & %d AND id IS NOT NULL AND timestamp IS NOT NULL",
	    table, MARK_END);
	if (s == NULL)
		die("out of memory");
	if (sqlite3_exec(nv->db, s, NULL, NULL, NULL) != SQLITE_OK)
		die("%s: %s", db_path(), sqldb_error(nv->db));
	sqlite3_free(s);
}

/* A piece of SQL. The caller frees it. */
static char *sql(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *
sql(const char *fmt, ...)
{
	char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	return xstrdup(s);
}

static void
add_markers(struct nvprof *nv)
{
	static const char *const need[] = { "flags", "timestamp", "id",
		"objectKind", "objectId", "name" };
	static const char table[] = NVPROF_TABLE("MARKER");
	const char *domain = "NULL";
	struct ev_source *s;
	size_t i;

	if (!db_has_table(nv->db, table))
		return;
	for (i = 0; i < ARRAY_LEN(need); i++)
		if (!source_needs(
			&nv->prof->sources, nv->db, EV_RANGE, table, need[i]))
			return;
	if (db_has_column(nv->db, table, "domain"))
		domain = "a.domain";
	make_ends(nv, table);
	s = source_add(&nv->prof->sources, EV_RANGE, table, range_row);
	s->from = sql("%s AS a NOT INDEXED LEFT JOIN temp.dlp_ends AS b ON "
		      "b.id = a.id AND"
		      " b.timestamp = (SELECT min(timestamp) FROM temp.dlp_ends"
		      " WHERE id = a.id AND timestamp >= a.timestamp)",
	    table);
	s->cols =
	    sql("a.timestamp, b.timestamp, a.objectKind, a.objectId, b.kind,"
		" b.object, a.name, %s",
		domain);
	s->key = xstrdup("a.rowid");
	s->where = sql("a.flags & %d", MARK_START);
	s->start = xstrdup("a.timestamp");
	s->end = xstrdup("b.timestamp");
	s = source_add(&nv->prof->sources, EV_MARK, table, range_row);
	s->from = xstrdup(table);
	s->cols =
	    sql("timestamp, NULL, objectKind, objectId, NULL, NULL, name, %s",
		domain[0] == 'a' ? "domain" : domain);
	s->where = sql("flags & %d", MARK_INSTANT);
	s->start = xstrdup("timestamp");
}

/* Makes sources of the tables. */
static void
nvprof_add_rows(struct nvprof *nv)
{
	add_cpu(nv);
	add_gpu(nv);
	add_markers(nv);
}

/* Column i as an integer, as nvprof_num() reads it. */
static int64_t
nvprof_col(sqlite3_stmt *st, int i)
{
	return nvprof_num(sqlite3_column_value(st, i));
}

static int64_t
times_1000(int64_t v)
{
	int64_t r;

	return v == EV_UNSET || __builtin_mul_overflow(v, 1000, &r) ? EV_UNSET
								    : r;
}

/* 16 bytes in groups of 4-2-2-2-6, as nvidia-smi writes them. */
static const char *
uuid(sqlite3_stmt *st, int i, struct buf *b)
{
	const unsigned char *s = sqlite3_column_blob(st, i);
	int k;

	if (sqlite3_column_type(st, i) != SQLITE_BLOB ||
	    sqlite3_column_bytes(st, i) != 16)
		return NULL;
	buf_clear(b);
	for (k = 0; k < 16; k++)
		buf_printf(b,
		    k == 4 || k == 6 || k == 8 || k == 10 ? "-%02x" : "%02x",
		    s[k]);
	return buf_str(b);
}

static void
nvprof_devices(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("DEVICE");
	static const char *const names[] = { "id", "name",
		"computeCapabilityMajor", "computeCapabilityMinor",
		"numMultiprocessors", "coreClockRate", "globalMemorySize",
		"globalMemoryBandwidth", "uuid", NULL };
	struct buf name = { NULL, 0, 0 }, id = { NULL, 0, 0 };
	struct dev_fact d;
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s ORDER BY 1", cols, table);
	while (db_step(st)) {
		buf_clear(&name);
		d.dev = nvprof_col(st, 0);
		d.name = nvprof_col(st, 1) >= 0 &&
				 nvprof_string(nv, nvprof_col(st, 1), &name)
			     ? buf_str(&name)
			     : NULL;
		d.cc_major = nvprof_col(st, 2);
		d.cc_minor = nvprof_col(st, 3);
		d.n_sm = nvprof_col(st, 4);
		d.clock_hz = times_1000(nvprof_col(st, 5)); /* from kHz */
		d.mem_bytes = nvprof_col(st, 6);
		d.membw_bytes_s = times_1000(nvprof_col(st, 7)); /* from kB/s */
		d.uuid = uuid(st, 8, &id);
		fact_dev(nv->prof, &d);
	}
	sqlite3_finalize(st);
	free(cols);
	buf_free(&name);
	buf_free(&id);
}

/* Names of processes and threads; the id is as in a marker. */
static void
given_names(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("NAME");
	static const char *const names[] = { "objectKind", "objectId", "name",
		NULL };
	struct buf b = { NULL, 0, 0 };
	int64_t pid, tid;
	sqlite3_stmt *st;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s", cols, table);
	while (db_step(st)) {
		buf_clear(&b);
		if (nvprof_col(st, 2) < 0 ||
		    !nvprof_string(nv, nvprof_col(st, 2), &b))
			continue;
		pid = tid = EV_UNSET;
		nvprof_object(sqlite3_column_value(st, 0),
		    sqlite3_column_value(st, 1), &pid, &tid);
		if (tid != EV_UNSET)
			fact_thread(nv->prof, pid, tid, buf_str(&b), EV_UNSET);
		else if (pid != EV_UNSET)
			fact_proc(nv->prof, pid, buf_str(&b));
	}
	sqlite3_finalize(st);
	free(cols);
	buf_free(&b);
}

static void
nvprof_facts(void *ctx)
{
	struct nvprof *nv = ctx;
	int64_t version = EV_UNSET;
	sqlite3_stmt *st;

	if (db_has_table(nv->db, "Version") &&
	    db_has_column(nv->db, "Version", "version")) {
		st = db_prepare(nv->db, "SELECT version FROM Version");
		if (db_step(st))
			version = nvprof_col(st, 0);
		sqlite3_finalize(st);
	}
	if (version != EV_UNSET)
		fact_info(nv->prof, "schema", "%lld", (long long)version);
	fact_info(nv->prof, "t0_ns", "%lld", (long long)nv->t0);
	nvprof_devices(nv);
	given_names(nv);
}

/* Tables whose rows are left out, and the note that counts them; the first
 * table is left out only if there is a timeline. */
static const struct left_out left_out[] = {
	{ NVPROF_TABLE("KERNEL"), "metrics_run_kernels" },
	{ NVPROF_TABLE("CDP_KERNEL"), "device_launched_kernels" },
	{ NVPROF_TABLE("UNIFIED_MEMORY_COUNTER"), "unified_memory_events" },
	{ NVPROF_TABLE("METRIC"), "metric_values" },
	{ NVPROF_TABLE("EVENT"), "counter_values" },
	{ NVPROF_TABLE("OPENACC_DATA"), "openacc_events" },
	{ NVPROF_TABLE("OPENACC_LAUNCH"), "openacc_events" },
	{ NVPROF_TABLE("OPENACC_OTHER"), "openacc_events" },
	{ NVPROF_TABLE("OPENMP"), "openmp_events" },
};

static int
nvprof_probe(sqlite3 *db)
{
	static const char *const own[] = { "StringTable",
		NVPROF_TABLE("CONCURRENT_KERNEL"), NVPROF_TABLE("MARKER") };
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(own); i++)
		n += db_has_table(db, own[i]);
	n += db_has_column(db, NVPROF_TABLE("RUNTIME"), "processId");
	n += db_has_column(db, NVPROF_TABLE("DRIVER"), "processId");
	n += n > 0 && db_has_table(db, "Version");
	return n;
}

static int64_t
nvprof_origin(sqlite3 *db)
{
	static const struct {
		const char *table, *column;
	} all[] = {
		{ NVPROF_TABLE("DRIVER"), "start" },
		{ NVPROF_TABLE("RUNTIME"), "start" },
		{ NVPROF_TABLE("CONCURRENT_KERNEL"), "start" },
		{ NVPROF_TABLE("KERNEL"), "start" },
		{ NVPROF_TABLE("MARKER"), "timestamp" },
	};
	int64_t t0 = EV_UNSET, t;
	sqlite3_stmt *st;
	size_t i;

	for (i = 0; i < ARRAY_LEN(all); i++) {
		if (!db_has_table(db, all[i].table) ||
		    !db_has_column(db, all[i].table, all[i].column))
			continue;
		st = db_prepare(db,
		    "SELECT min(%s) FROM %s WHERE %s > 0 AND typeof(%s) ="
		    " 'integer'",
		    all[i].column, all[i].table, all[i].column, all[i].column);
		t = db_step(st) ? nvprof_col(st, 0) : EV_UNSET;
		sqlite3_finalize(st);
		if (t != EV_UNSET && (t0 == EV_UNSET || t < t0))
			t0 = t;
	}
	return t0 == EV_UNSET ? 0 : t0;
}

/* The table does not say of which process a context is. If processes use its
 * number for different devices, its device is not known. */
static void
read_contexts(struct nvprof *nv)
{
	static const char table[] = NVPROF_TABLE("CONTEXT");
	static const char *const names[] = { "contextId", "deviceId", NULL };
	sqlite3_stmt *st;
	uint64_t *dev, is;
	bool fresh;
	char *cols;

	if (!db_has_table(nv->db, table))
		return;
	cols = db_cols(nv->db, table, names);
	st = db_prepare(nv->db, "SELECT %s FROM %s", cols, table);
	while (db_step(st)) {
		if (sqlite3_column_type(st, 0) != SQLITE_INTEGER ||
		    sqlite3_column_type(st, 1) != SQLITE_INTEGER)
			continue;
		is = (uint64_t)sqlite3_column_int64(st, 1);
		dev = map_put(&nv->context,
		    (uint64_t)sqlite3_column_int64(st, 0), &fresh);
		*dev = fresh || *dev == is ? is : (uint64_t)EV_UNSET;
	}
	sqlite3_finalize(st);
	free(cols);
}

static void *
nvprof_open(struct profile *p)
{
	sqlite3 *db = p->db;
	struct nvprof *nv = xcalloc(1, sizeof(*nv));

	nv->prof = p;
	nv->db = db;
	if (db_has_column(db, "StringTable", "_id_") &&
	    db_has_column(db, "StringTable", "value"))
		nv->string = db_prepare(
		    db, "SELECT value FROM StringTable WHERE _id_ = ?1");
	nv->t0 = nvprof_origin(db);
	read_contexts(nv);
	nvprof_add_rows(nv);
	return nv;
}

static void
nvprof_close(void *ctx)
{
	struct nvprof *nv = ctx;
	size_t i;

	for (i = 0; i < nv->n_domains; i++)
		free(nv->domains[i]);
	free(nv->domains);
	map_free(&nv->domain);
	map_free(&nv->context);
	sqlite3_finalize(nv->string);
	free(nv);
}

static bool
nvprof_kernel(void *ctx, int64_t id, struct buf *out)
{
	struct nvprof *nv = ctx;
	struct buf b = { NULL, 0, 0 };
	bool has = nvprof_string(ctx, id, &b);

	/* A text with a NUL inside is not a mangled name. */
	if (has && strlen(buf_str(&b)) == b.len)
		(nv->prof->run->old_names ? demangle_old : demangle)(b.s, out);
	else
		buf_put(out, b.s, b.len);
	buf_free(&b);
	return has;
}

static void
nvprof_notes(void *ctx)
{
	struct nvprof *nv = ctx;
	size_t from = nv->has_timeline ? 0 : 1;

	stage_note("untimed_rows", nv->untimed);
	db_note_rows(nv->db, left_out + from, ARRAY_LEN(left_out) - from);
}

const struct dialect dialect_nvprof = {
	.name = "nvprof",
	.probe = nvprof_probe,
	.strings = "StringTable",
	.open = nvprof_open,
	.close = nvprof_close,
	.facts = nvprof_facts,
	.string = nvprof_string,
	.kernel = nvprof_kernel,
	.notes = nvprof_notes,
};
