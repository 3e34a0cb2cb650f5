//! Where tensors live: the processor, or a graphics card by a cargo feature.

#[cfg(feature = "wgpu")]
use std::panic;

use burn::Device;
#[cfg(feature = "wgpu")]
use burn::Tensor;

use crate::error::TrainError;

/// Where a network is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The best that this program was built for: CUDA, then wgpu, then the processor.
    #[default]
    Best,
    /// The processor.
    Cpu,
    /// A graphics card by Vulkan, Metal or `DirectX`.
    Wgpu,
    /// A graphics card of NVIDIA.
    Cuda,
}

impl Place {
    pub(crate) fn device(self) -> Result<Device, TrainError> {
        match self {
            Place::Best if cfg!(feature = "cuda") => Place::Cuda.device(),
            Place::Best if cfg!(feature = "wgpu") => Place::Wgpu.device(),
            Place::Best => Place::Cpu.device(),
            #[cfg(feature = "cpu")]
            Place::Cpu => Ok(Device::flex()),
            #[cfg(not(feature = "cpu"))]
            Place::Cpu => Err(TrainError::NotBuiltFor("cpu")),
            #[cfg(feature = "wgpu")]
            Place::Wgpu => answering(Device::wgpu(burn::DeviceKind::DefaultDevice)),
            #[cfg(not(feature = "wgpu"))]
            Place::Wgpu => Err(TrainError::NotBuiltFor("wgpu")),
            #[cfg(feature = "cuda")]
            Place::Cuda => Ok(Device::cuda(burn::DeviceIndex::Default)),
            #[cfg(not(feature = "cuda"))]
            Place::Cuda => Err(TrainError::NotBuiltFor("cuda")),
        }
    }
}

/// The device, if it answers. The framework panics on the first tensor where no card can be had.
#[cfg(feature = "wgpu")]
fn answering(device: Device) -> Result<Device, TrainError> {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let asked =
        panic::catch_unwind(|| Tensor::<1>::zeros([1], &device).try_into_vec_as::<f32>().is_ok());
    panic::set_hook(loud);
    match asked {
        Ok(true) => Ok(device),
        _ => Err(TrainError::Device(
            "no graphics card answers; device = \"cpu\" learns on the processor".to_owned(),
        )),
    }
}
